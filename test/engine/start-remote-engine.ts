import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Docker from "dockerode"
import { importImages } from "./import-images.ts"
import { endDaemon, runDaemon } from "./run-daemon.ts"
import { untouchedNetwork } from "./start-engine.ts"

/** An engine that has other files than this process, reached over TCP. */
export interface RemoteEngine extends AsyncDisposable {
  /** As DOCKER_HOST has it. */
  readonly address: string
  readonly port: number
  readonly docker: Docker
}

/** In a mount namespace of its own, where /tmp is another directory and its own files are below /mnt. */
export async function startRemoteEngine(): Promise<RemoteEngine> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-remote-engine-"))
  const port = await freePort()
  const docker = new Docker({ protocol: "http", host: "127.0.0.1", port })
  await writeFile(join(directory, "engine.json"), JSON.stringify(untouchedNetwork))
  const options = [
    ...["--host", `tcp://127.0.0.1:${port}`, "--tls=false", "--pidfile", "/mnt/engine.pid"],
    ...["--data-root", "/mnt/data", "--exec-root", "/mnt/run"],
    ...["--config-file", "/mnt/engine.json", "--log-level=warn"],
  ]
  const apart = `mount --bind "$1" /mnt && mount -t tmpfs none /tmp && shift && exec dockerd "$@"`
  const running = await runDaemon(
    {
      program: "unshare",
      arguments: ["--mount", "sh", "-c", apart, "sh", directory, ...options],
      directory,
      // That of the tests is not there.
      environment: { TMPDIR: "/tmp" },
      remedy: "apt-get install --no-install-recommends docker.io iptables util-linux",
    },
    docker,
  )
  await importImages(docker, directory)
  return {
    address: `tcp://127.0.0.1:${port}`,
    port,
    docker,
    async [Symbol.asyncDispose]() {
      await endDaemon(running, "SIGTERM")
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
