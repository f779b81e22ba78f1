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
  const failed = new Promise<false>((resolve) => child.once("error", () => resolve(false)))
  // Without a free file descriptor there is neither a process nor a pipe, only that error.
  if (child.pid === undefined) return failed
  let rest = ""
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    if (!lines.every(onLine)) child.kill("SIGKILL")
  })
  const ended = new Promise<true>((resolve) => child.once("close", () => resolve(true)))
  return Promise.race([failed, ended])
}
