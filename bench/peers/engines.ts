import type Docker from "dockerode"
import { testBinds, testImage } from "../../test/engine/import-images.ts"
import { plainExec } from "../sandbox/docker-exec.ts"
import { type Peer, runProgram } from "./peer.ts"

export interface EngineCommand {
  readonly program: string
  /** Before the command of the program. */
  readonly options?: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
  /** Of each container. */
  readonly runOptions?: readonly string[]
  /** Of its `rm`, so that it does not wait for a container to end by itself. */
  readonly removeOptions?: readonly string[]
  readonly wall?: string
}

const containerWall = "namespaces, seccomp, control groups"
const staying = ["sleep", "1000"]

/** Containers as a user of the command line has them: `run` for a new one, `exec` in one that exists. */
export async function openEngineCommand(engine: EngineCommand): Promise<Peer> {
  const { program, options = [], runOptions = [], removeOptions = [] } = engine
  const env = { ...process.env, ...engine.environment }
  const call = async (...args: readonly string[]) =>
    (await runProgram(program, [...options, ...args], { env })).stdout.trim()
  const shared = [...testBinds.flatMap((bind) => ["--volume", bind]), "--network", "none"]
  const end = (id: string) => () => call("rm", "--force", ...removeOptions, id)
  const start = () => call("run", "--detach", ...runOptions, ...shared, testImage, ...staying)
  const existing = await start()
  let count = 0
  return {
    wall: engine.wall ?? containerWall,
    async createAndRun() {
      count += 1
      const name = `fresh-${existing.slice(0, 12)}-${count}`
      await call("run", "--name", name, ...runOptions, ...shared, testImage, "bash", "-c", "true")
      return end(name)
    },
    exec: () => call("exec", existing, "bash", "-c", "true"),
    hold: async () => end(await start()),
    [Symbol.asyncDispose]: async () => void (await end(existing)()),
  }
}

/** Containers as a program has them that talks to the engine itself. */
export async function openEngineApi(docker: Docker): Promise<Peer> {
  const create = (command: readonly string[]) =>
    docker.createContainer({
      Image: testImage,
      Cmd: [...command],
      HostConfig: { NetworkMode: "none", Binds: [...testBinds] },
    })
  async function start() {
    const container = await create(staying)
    await container.start()
    return container
  }
  const existing = await start()
  return {
    wall: containerWall,
    async createAndRun() {
      const container = await create(["bash", "-c", "true"])
      await container.start()
      await container.wait()
      return () => container.remove({ force: true })
    },
    exec: () => plainExec(existing),
    async hold() {
      const container = await start()
      return () => container.remove({ force: true })
    },
    [Symbol.asyncDispose]: () => existing.remove({ force: true }),
  }
}
