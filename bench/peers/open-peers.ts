import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { errorText } from "../../src/kit/index.ts"
import { bubblewrapHost, dockerHost, memoryHost } from "../../src/sandbox/index.ts"
import { testBinds, testImage } from "../../test/engine/import-images.ts"
import { startEngine } from "../../test/engine/start-engine.ts"
import { podmanCommand, startPodman } from "../../test/engine/start-podman.ts"
import { openEngineApi, openEngineCommand } from "./engines.ts"
import { openJustBash } from "./just-bash.ts"
import { openBwrap, openPlainSpawn, openSandboxRuntime } from "./one-for-each-command.ts"
import { type Peer, reference, runProgram, subject } from "./peer.ts"
import { openHost, openWarmHost } from "./toolkeep-host.ts"

export interface OpenPeers extends AsyncDisposable {
  readonly peers: ReadonlyMap<string, Peer>
  /** Those that do not start on this machine: name → why. */
  readonly missing: ReadonlyMap<string, string>
}

/** Everything that can be picked on this machine, with engines of its own. */
export async function openPeers(): Promise<OpenPeers> {
  await using opening = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  opening.defer(() => rm(directory, { recursive: true, force: true }))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(directory, 0o755)
  const runsc = await findRunsc()
  const runtimes = runsc === null ? {} : { runtimes: { runsc: { path: runsc } } }
  const docker = once(async () => opening.use(await startEngine(runtimes)))
  const podman = once(async () => opening.use(await startPodman()))
  const dockerCommand = async () => ({
    program: "docker",
    environment: { DOCKER_HOST: `unix://${(await docker()).socketPath}` },
  })
  const bubblewrap = bubblewrapHost({ directory })
  const wall = "namespaces, seccomp, control groups"

  const openers: Readonly<Record<string, () => Promise<Peer>>> = {
    [subject]: () => openWarmHost(bubblewrap, wall),
    "Toolkeep, with none made ahead": () => openHost(bubblewrap, wall),
    "Toolkeep on docker": async () => {
      const { socketPath } = await docker()
      const options = { image: testImage, binds: testBinds, socketPath }
      return openHost(dockerHost({ ...options, directory: join(directory, "docker") }), wall)
    },
    "Toolkeep in memory": () => openHost(memoryHost(), "an interpreter in threads of its own"),
    [reference]: async () => openPlainSpawn(),
    "bubblewrap itself": openBwrap,
    "sandbox-runtime": openSandboxRuntime,
    "docker run, docker exec": async () => openEngineCommand(await dockerCommand()),
    "docker's API": async () => openEngineApi((await docker()).docker),
    "podman run, podman exec": async () =>
      openEngineCommand({
        ...podmanCommand((await podman()).socketPath),
        // It asks for more than some machines allow.
        runOptions: ["nofile", "nproc"].flatMap((name) => ["--ulimit", `${name}=1024:1024`]),
        removeOptions: ["--time", "0"],
      }),
    "gVisor in docker": async () => {
      if (runsc === null) throw new Error("There is no runsc.")
      const runOptions = ["--runtime", "runsc"]
      return openEngineCommand({
        ...(await dockerCommand()),
        runOptions,
        wall: "a kernel of its own",
      })
    },
    "just-bash": openJustBash,
  }
  const peers = new Map<string, Peer>()
  const missing = new Map<string, string>()
  for (const [name, open] of Object.entries(openers)) {
    try {
      peers.set(name, opening.use(await open()))
    } catch (error) {
      missing.set(name, errorText(error))
    }
  }
  const opened = opening.move()
  return { peers, missing, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null
  return () => {
    made ??= make()
    return made
  }
}

async function findRunsc(): Promise<string | null> {
  try {
    return (await runProgram("sh", ["-c", "command -v runsc"])).stdout.trim()
  } catch {
    return null
  }
}
