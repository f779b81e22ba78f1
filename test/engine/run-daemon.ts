import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type Docker from "dockerode"

/** The program that is a container engine of the tests' own. */
export interface Daemon {
  readonly program: string
  readonly arguments: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
  /** Where it writes what it has to say. */
  readonly directory: string
  /** What installs it. */
  readonly remedy: string
}

const readyMs = 100_000
const pauseMs = 50

/** Starts it, and waits until it answers. */
export async function runDaemon(daemon: Daemon, docker: Docker): Promise<ChildProcess> {
  const { program, directory, remedy } = daemon
  const log = await open(join(directory, "engine.log"), "a")
  const child = spawn(program, daemon.arguments, {
    // Podman's monitor leaves an empty file "oom" where it runs when a container was out of memory.
    cwd: directory,
    stdio: ["ignore", log.fd, log.fd],
    env: { ...process.env, ...daemon.environment },
  })
  const killWithUs = () => child.kill("SIGTERM")
  process.once("exit", killWithUs)
  child.once("exit", () => process.off("exit", killWithUs))
  const problem = new Promise<never>((_, reject) => {
    child.once("error", (cause) => {
      reject(new Error(`${program} could not be started; install it: ${remedy}`, { cause }))
    })
    child.once("exit", async () => {
      const said = await readFile(join(directory, "engine.log"), "utf8").catch(() => "")
      reject(new Error(`${program} ended: ${said.slice(-2_000)}`))
    })
  })
  problem.catch(() => {})
  await Promise.race([untilReady(docker), problem]).finally(() => log.close())
  return child
}

async function untilReady(docker: Docker): Promise<void> {
  const deadline = performance.now() + readyMs
  for (;;) {
    const isReady = await docker.ping().then(
      () => true,
      () => false,
    )
    if (isReady) return
    if (performance.now() > deadline) throw new Error("The engine did not become ready.")
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

/** What an engine that was killed had mounted stays mounted. */
export async function unmountBelow(directory: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mountinfo", "utf8"))
    .split("\n")
    .flatMap((line) => line.split(" ")[4] ?? [])
    .filter((path) => path.startsWith(`${directory}/`))
  for (const path of mounts.toReversed()) await promisify(execFile)("umount", ["-l", path])
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

export async function endDaemon(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, "exit")
  child.kill(signal)
  await exited
}
