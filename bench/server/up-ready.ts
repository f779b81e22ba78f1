import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const program = join(import.meta.dirname, "../../src/cli/main.ts")

/** From the start of `toolkeep up` until it says that it is up, with the console and without. */
export async function upReady(): Promise<BenchRow> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-bench-"))
  const start = async (...flags: readonly string[]) => {
    const args = [program, "up", "--host", "memory", "--port", "0", ...flags]
    const env = { ...process.env, TOOLKEEP_HOME: home }
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] })
    const ended = once(child, "exit")
    for await (const text of child.stdout.setEncoding("utf8")) if (text.includes("Ctrl-C")) break
    child.kill("SIGKILL")
    await ended
  }
  const value = await measureTimeRatio(
    () => start(),
    () => start("--no-console"),
  )
  rmSync(home, { recursive: true, force: true })
  const what = "time until `toolkeep up` is ready, against the same with --no-console"
  return { id: "up-ready", what, value, bar: 1.1, aim: 1, better: "lower" }
}
