import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { listenOnLoopback } from "../../src/node/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const run = promisify(execFile)

/** From the start of a process to its first request to the model, against a script that only asks. */
export async function runStart(directory: string): Promise<BenchRow> {
  const root = join(import.meta.dirname, "../..")
  await run("npm", ["run", "-s", "build"], { cwd: root })
  const server = createServer()
  const url = `http://127.0.0.1:${await listenOnLoopback(server, 0, true)}/v1`
  const start = async (script: string) => {
    const home = mkdtempSync(join(directory, "run-"))
    const asked = once(server, "request")
    const child = spawn(process.execPath, [join(import.meta.dirname, script), url, home], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    const ended = once(child, "close").then(() => "ended")
    const first = await Promise.race([asked, ended])
    child.kill("SIGKILL")
    await ended
    if (first === "ended") throw new Error(`${script} ended before it asked.`)
  }
  try {
    return {
      id: "session-run-start",
      what: "time from the start of a run to its first request, against a script that imports the provider and asks",
      value: await measureTimeRatio(
        () => start("start-run.mjs"),
        () => start("start-provider.mjs"),
      ),
      ...{ bar: 2, aim: 1.5, better: "lower" },
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
