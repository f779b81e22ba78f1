import type { Socket } from "node:net"

/**
 * Runs a program of this machine and hears its lines. A process of its own: this one would stand still for
 * as long as it takes. `onLine` ends it early with false. One that is
 * not waited for does not hold up this process. Resolves with whether it could be started.
 */
export function runLines(
  program: string,
  args: readonly string[],
  onLine: (line: string) => boolean,
  { isWaitedFor = true }: { readonly isWaitedFor?: boolean } = {},
): Promise<boolean> {
  // Loaded by the first use: a call that starts no sandbox measures nothing (bench row cold-call).
  const child = process.getBuiltinModule("node:child_process").spawn(program, [...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, LC_ALL: "C" },
  })
  const failed = new Promise<false>((resolve) => child.once("error", () => resolve(false)))
  // Without a free file descriptor there is neither a process nor a pipe, only that error.
  if (child.pid === undefined) return failed
  if (!isWaitedFor) {
    child.unref()
    if ("unref" in child.stdout) (child.stdout as Socket).unref()
  }
  let rest = ""
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    if (!lines.every(onLine)) child.kill("SIGKILL")
  })
  const ended = new Promise<true>((resolve) => child.once("close", () => resolve(true)))
  return Promise.race([failed, ended])
}
