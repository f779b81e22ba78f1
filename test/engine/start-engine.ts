import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Docker from "dockerode"
import { importImages } from "./import-images.ts"
import { type Daemon, endDaemon, hasEnded, runDaemon, unmountBelow } from "./run-daemon.ts"

/** A container engine of the tests' own, with its own images, files and socket. */
export interface TestEngine extends AsyncDisposable {
  readonly socketPath: string
  readonly docker: Docker
  /** Ends the engine as a crash would; its containers go on. */
  kill(): Promise<void>
  /** Starts it again after it was killed. */
  restart(): Promise<void>
}

/** Docker, without a network unless the settings name one; `settings` as in a daemon.json. */
export async function startEngine(settings: object = {}): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-engine-"))
  const socketPath = join(directory, "engine.sock")
  const docker = new Docker({ socketPath })
  // This machine's own settings are not for this engine.
  await writeFile(
    join(directory, "engine.json"),
    JSON.stringify({ ...untouchedNetwork, ...settings }),
  )
  let running = await runDaemon(daemon(directory), docker)
  await importImages(docker, directory)

  async function restart(): Promise<void> {
    // The file of a killed engine names a process that may be someone else's by now.
    await rm(join(directory, "engine.pid"), { force: true })
    running = await runDaemon(daemon(directory), docker)
  }

  return {
    socketPath,
    docker,
    kill: () => endDaemon(running, "SIGKILL"),
    restart,
    async [Symbol.asyncDispose]() {
      // Only an engine can tidy up what a killed one left running.
      if (hasEnded(running)) await restart()
      await endDaemon(running, "SIGTERM")
      await unmountBelow(directory)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** This machine's network stays as it is. */
export const untouchedNetwork = {
  bridge: "none",
  iptables: false,
  ip6tables: false,
  "ip-forward": false,
  "ip-masq": false,
}

function daemon(directory: string): Daemon {
  const inside = (name: string) => join(directory, name)
  return {
    program: "dockerd",
    arguments: [
      ...["--host", `unix://${inside("engine.sock")}`, "--pidfile", inside("engine.pid")],
      ...["--data-root", inside("data"), "--exec-root", inside("run")],
      ...["--config-file", inside("engine.json"), "--log-level=warn"],
    ],
    directory,
    remedy: "apt-get install --no-install-recommends docker.io iptables",
  }
}
