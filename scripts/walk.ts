/**
 * `npm run walk -- shell.exec`: the source files that take part in one warm call, in the order in which the call comes to them,
 * with the functions that ran. Fails where there are more than `most`.
 */
import { readFileSync } from "node:fs"
import { Session as Inspector } from "node:inspector/promises"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { openToolkeep } from "../src/session/index.ts"

const most = 32
const rounds = 5
const calls: Readonly<Record<string, unknown>> = {
  "shell.exec": { command: "echo hello | tr a-z A-Z" },
}
const [tool = "shell.exec", host = "bubblewrap"] = process.argv.slice(2)
const input = calls[tool]
if (input === undefined) throw new Error(`Walks are known for ${Object.keys(calls).join(", ")}.`)

const root = new URL("../", import.meta.url)
const source = new URL("src/", root).href
const inspector = new Inspector()
await using keep = await openToolkeep({ host })
const session = keep.session("walk")

async function call(): Promise<void> {
  const envelope = await session.start(tool, input).envelope
  if (!envelope.ok) throw new Error(envelope.message)
}

interface Entered {
  readonly url: string
  readonly name: string
  readonly offset: number
}

/** The functions that one call enters. */
async function enteredByOne(): Promise<readonly Entered[]> {
  await inspector.post("Profiler.takePreciseCoverage")
  await call()
  const { result } = await inspector.post("Profiler.takePreciseCoverage")
  return result
    .filter(({ url }) => url.startsWith(source))
    .flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges: [range] }) => {
        const isModule = functionName === "" && range?.startOffset === 0
        if (!range || range.count === 0 || isModule) return []
        return [{ url, name: functionName || "(anonymous)", offset: range.startOffset }]
      }),
    )
}

/** In the order in which one call comes to them. A condition that is never true notes that it was asked. */
async function inOrder(functions: readonly Entered[]): Promise<readonly string[]> {
  const order = new Set<string>()
  Object.assign(globalThis, { walkCameTo: (url: string) => void order.add(url) })
  await inspector.post("Debugger.enable")
  for (const { url, offset } of functions) {
    // Types are blanked out before a file runs, so that every place in it stays where it was.
    const before = readFileSync(fileURLToPath(url), "utf8").slice(0, offset).split("\n")
    const [lineNumber, columnNumber] = [before.length - 1, before.at(-1)?.length ?? 0]
    const condition = `(globalThis.walkCameTo(${JSON.stringify(url)}), false)`
    const place = { url, lineNumber, columnNumber, condition }
    // Two functions may start at the same place.
    await inspector.post("Debugger.setBreakpointByUrl", place).catch(() => {})
  }
  await call()
  await inspector.post("Debugger.disable")
  return [...order]
}

// What is loaded, started or remembered on first use is not part of a warm call.
for (let round = 0; round < 3; round += 1) await call()
inspector.connect()
await inspector.post("Profiler.enable")
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
const walks: (readonly Entered[])[] = []
for (let round = 0; round < rounds; round += 1) walks.push(await enteredByOne())
await inspector.post("Profiler.stopPreciseCoverage")
// What only some of them entered is a timer's work, such as a look at the disk, and not the call's.
const keyOf = ({ url, offset }: Entered) => `${url}:${offset}`
const keys = walks.map((walk) => new Set(walk.map(keyOf)))
const entered = (walks[0] ?? []).filter((one) => keys.every((walk) => walk.has(keyOf(one))))
const files = new Set(entered.map(({ url }) => url))
const ordered = await inOrder(entered)
inspector.disconnect()

for (const url of new Set([...ordered, ...files])) {
  const names = entered.filter((one) => one.url === url).map(({ name }) => name)
  const file = relative(fileURLToPath(root), fileURLToPath(url))
  console.log(`${file}  ${names.slice(0, 6).join(", ")}`)
}
console.log(
  `${files.size} files of src take part in a warm ${tool} on ${host}; at most ${most} may.`,
)
if (files.size > most) process.exitCode = 1
