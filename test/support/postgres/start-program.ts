import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync } from "node:fs"
import { createServer } from "node:net"

/** PostgreSQL and pgbouncer refuse to run as root. */
const ordinaryUser = 65534
const asOrdinaryUser =
  process.getuid?.() === 0
    ? ["setpriv", `--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, "--clear-groups"]
    : []

export function giveToOrdinaryUser(...paths: readonly string[]): void {
  if (asOrdinaryUser.length === 0) return
  for (const path of paths) chownSync(path, ordinaryUser, ordinaryUser)
}

export function runProgram(program: string, args: readonly string[]): void {
  const [first = program, ...others] = [...asOrdinaryUser, program]
  execFileSync(first, [...others, ...args], { stdio: ["ignore", "ignore", "pipe"] })
}

/** Starts a server, and waits until its log says that it is ready. */
export async function startProgram(
  program: string,
  args: readonly string[],
  isReady: RegExp,
): Promise<ChildProcess> {
  const [first = program, ...others] = [...asOrdinaryUser, program]
  const child = spawn(first, [...others, ...args], { stdio: ["ignore", "ignore", "pipe"] })
  let log = ""
  const ready = Promise.withResolvers<void>()
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-10_000)
    if (isReady.test(log)) ready.resolve()
  })
  child.on("error", ready.reject)
  child.on("exit", () => ready.reject(new Error(`${program} has ended: ${log}`)))
  await ready.promise
  return child
}

export async function endProgram(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill(signal)
  await exited
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address ? address.port : 0
}
