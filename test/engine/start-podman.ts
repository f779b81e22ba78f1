import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import Docker from "dockerode"
import { importImages } from "./import-images.ts"
import { type Daemon, endDaemon, hasEnded, runDaemon, unmountBelow } from "./run-daemon.ts"
import type { TestEngine } from "./start-engine.ts"

/** Podman's service, which speaks as Docker does. */
export async function startPodman(): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-podman-"))
  const socketPath = join(directory, "engine.sock")
  const docker = new Docker({ socketPath })
  // Locks in files: those in memory would be shared with every other Podman of this machine.
  await writeFile(join(directory, "containers.conf"), '[engine]\nlock_type = "file"\n')
  let running = await runDaemon(daemon(directory), docker)
  await importImages(docker, directory)

  async function restart(): Promise<void> {
    await rm(socketPath, { force: true })
    running = await runDaemon(daemon(directory), docker)
  }

  return {
    socketPath,
    docker,
    kill: () => endDaemon(running, "SIGKILL"),
    restart,
    async [Symbol.asyncDispose]() {
      if (hasEnded(running)) await restart()
      for (const { Id } of await docker.listContainers({ all: true })) {
        await docker.getContainer(Id).remove({ force: true, v: true })
      }
      await endDaemon(running, "SIGTERM")
      await unmountBelow(directory)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** What a command line of Podman needs for the images and containers of the engine with this socket. */
export function podmanCommand(socketPath: string) {
  const inside = (name: string) => join(dirname(socketPath), name)
  return {
    program: "podman",
    options: [
      ...["--root", inside("data"), "--runroot", inside("run"), "--tmpdir", inside("tmp")],
      ...["--storage-driver", "overlay", "--cgroup-manager", "cgroupfs"],
      // Podman's usual one refuses machines that have both generations of control groups.
      ...["--runtime", "runc", "--network-config-dir", inside("networks")],
    ],
    environment: { CONTAINERS_CONF: inside("containers.conf") },
  }
}

function daemon(directory: string): Daemon {
  const socketPath = join(directory, "engine.sock")
  const { program, options, environment } = podmanCommand(socketPath)
  return {
    program,
    arguments: [...options, "system", "service", "--time=0", `unix://${socketPath}`],
    environment,
    directory,
    remedy: "apt-get install --no-install-recommends podman runc",
  }
}
