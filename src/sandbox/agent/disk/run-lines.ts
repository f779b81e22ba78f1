import { spawn } from "node:child_process"

/**
 * Runs a program of this machine and hears its lines. A process of its own: this one would stand still for
 * as long as it takes. `onLine` ends it early with false. Resolves with whether it could be started.
 */
export function runLines(
  program: string,
  args: readonly string[],
  onLine: (line: string) => boolean,
): Promise<boolean> {
  const child = spawn(program, [...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, LC_ALL: "C" },
  })
  let rest = ""
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    if (!lines.every(onLine)) child.kill("SIGKILL")
  })
  return new Promise((resolve) => {
    child.once("error", () => resolve(false))
    child.once("close", () => resolve(true))
  })
}
