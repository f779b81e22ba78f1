import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import Docker from "dockerode"
import { importImages } from "./import-images.ts"

/** A container engine of the tests' own, with its own images, files and socket, and no network. */
export interface TestEngine extends AsyncDisposable {
  readonly socketPath: string
  readonly docker: Docker
  /** Ends the engine as a crash would; its containers go on. */
  kill(): Promise<void>
  /** Starts it again after it was killed. */
  restart(): Promise<void>
}

const readyMs = 30_000
const pauseMs = 50

/** `settings` as in a daemon.json. */
export async function startEngine(settings: object = {}): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-engine-"))
  const socketPath = join(directory, "engine.sock")
  const docker = new Docker({ socketPath })
  // This machine's own settings are not for this engine.
  await writeFile(join(directory, "engine.json"), JSON.stringify(settings))
  let running = await startDaemon(directory, docker)
  await importImages(docker, directory)

  async function restart(): Promise<void> {
    // The file of a killed engine names a process that may be someone else's by now.
    await rm(join(directory, "engine.pid"), { force: true })
    running = await startDaemon(directory, docker)
  }

  return {
    socketPath,
    docker,
    kill: () => end(running, "SIGKILL"),
    restart,
    async [Symbol.asyncDispose]() {
      // Only an engine can tidy up what a killed one left running.
      if (hasEnded(running)) await restart()
      await end(running, "SIGTERM")
      await unmountBelow(directory)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startDaemon(directory: string, docker: Docker): Promise<ChildProcess> {
  const log = await open(join(directory, "engine.log"), "a")
  const child = spawn("dockerd", daemonArguments(directory), {
    stdio: ["ignore", log.fd, log.fd],
  })
  const killWithUs = () => child.kill("SIGTERM")
  process.once("exit", killWithUs)
  child.once("exit", () => process.off("exit", killWithUs))
  const problem = new Promise<never>((_, reject) => {
    child.once("error", (cause) => {
      const remedy = "apt-get install --no-install-recommends docker.io iptables"
      reject(new Error(`dockerd could not be started; install it: ${remedy}`, { cause }))
    })
    child.once("exit", async () => {
      const said = await readFile(join(directory, "engine.log"), "utf8").catch(() => "")
      reject(new Error(`dockerd ended: ${said.slice(-2_000)}`))
    })
  })
  problem.catch(() => {})
  await Promise.race([untilReady(docker), problem]).finally(() => log.close())
  return child
}

function daemonArguments(directory: string): string[] {
  const inside = (name: string) => join(directory, name)
  return [
    ...["--host", `unix://${inside("engine.sock")}`, "--pidfile", inside("engine.pid")],
    ...["--data-root", inside("data"), "--exec-root", inside("run")],
    ...["--config-file", inside("engine.json"), "--bridge=none"],
    ...["--iptables=false", "--ip6tables=false", "--log-level=warn"],
  ]
}

async function untilReady(docker: Docker): Promise<void> {
  const deadline = performance.now() + readyMs
  for (;;) {
    const isReady = await docker.ping().then(
      () => true,
      () => false,
    )
    if (isReady) return
    if (performance.now() > deadline) throw new Error("dockerd did not become ready.")
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

/** What an engine that was killed had mounted stays mounted. */
async function unmountBelow(directory: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mountinfo", "utf8"))
    .split("\n")
    .flatMap((line) => line.split(" ")[4] ?? [])
    .filter((path) => path.startsWith(`${directory}/`))
  for (const path of mounts.toReversed()) await promisify(execFile)("umount", ["-l", path])
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, "exit")
  child.kill(signal)
  await exited
}
