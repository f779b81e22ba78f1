/**
 * `npm run walk -- shell.exec`: the source files that take part in one warm call, with the functions that ran. V8 lists them in
 * the order in which it loaded them, which is not the order of the call. Fails where there are more than `most`.
 */
import { Session as Inspector } from "node:inspector/promises"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { openToolkeep } from "../src/session/index.ts"

const most = 32
const calls: Readonly<Record<string, unknown>> = {
  "shell.exec": { command: "echo hello | tr a-z A-Z" },
}
const [tool = "shell.exec", host = "bubblewrap"] = process.argv.slice(2)
const input = calls[tool]
if (input === undefined) throw new Error(`Walks are known for ${Object.keys(calls).join(", ")}.`)

await using keep = await openToolkeep({ host })
const session = keep.session("walk")
// What is loaded, started or remembered on first use is not part of a warm call.
for (let round = 0; round < 3; round += 1) await session.start(tool, input).envelope

const inspector = new Inspector()
inspector.connect()
await inspector.post("Profiler.enable")
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
await inspector.post("Profiler.takePreciseCoverage")
const envelope = await session.start(tool, input).envelope
const { result } = await inspector.post("Profiler.takePreciseCoverage")
inspector.disconnect()
if (!envelope.ok) throw new Error(envelope.message)

const root = new URL("../", import.meta.url)
const source = new URL("src/", root).href
const files = result
  .filter(({ url }) => url.startsWith(source))
  .map(({ url, functions }) => {
    const entered = functions.filter(
      ({ functionName, ranges: [range] }) =>
        (range?.count ?? 0) > 0 && !(functionName === "" && range?.startOffset === 0),
    )
    const names = entered.map(({ functionName }) => functionName || "(anonymous)")
    return { file: relative(fileURLToPath(root), fileURLToPath(url)), names }
  })
  .filter(({ names }) => names.length > 0)

for (const { file, names } of files) console.log(`${file}  ${names.slice(0, 6).join(", ")}`)
console.log(
  `${files.length} files of src take part in a warm ${tool} on ${host}; at most ${most} may.`,
)
if (files.length > most) process.exitCode = 1
