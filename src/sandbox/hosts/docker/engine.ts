import type Docker from "dockerode"
import type {
  Container,
  ContainerCreateOptions,
  ContainerStats,
  VolumeCreateOptions,
} from "dockerode"
import { ToolFailure } from "../../../contract/index.ts"
import { type Clock, errorCode, errorText, withTimeout } from "../../../kit/index.ts"
import { packageProblem } from "../../../node/index.ts"
import { UnfitImage } from "../../agent/commands/require-programs.ts"
import { KeeperGone } from "../../agent/frames/connect-keeper.ts"
import type { LinkConnection } from "../../agent/frames/link.ts"
import type { RunningUsage } from "../../host/host.ts"
import { permanentFailure } from "../../host/unsupported.ts"
import { dockerLimits, frameLimits } from "../../limits.ts"
import type { EngineAddress } from "./engine-address.ts"
import { engineFailure, imageName, noSuchImage, reasonOf, statusOf } from "./engine-failure.ts"
import { type EngineInformation, identify } from "./examine-engine.ts"
import { execConnection } from "./remote/exec-connection.ts"

/** Docker or Podman, as far as sandboxes use it. Every call ends; what it throws is a ToolFailure. */
export interface Engine {
  /** Removes a container of the same name that was left behind. */
  create(name: string, settings: ContainerCreateOptions): Promise<Container>
  start(container: Container, image: string): Promise<void>
  /** Resolves when the container has ended or can't be asked; `signal` stops the asking. */
  ended(container: Container, signal: AbortSignal): Promise<void>
  /** How it has ended, once it has. */
  exitCode(container: Container): Promise<number>
  /** Starts a program in a running container, and is its input and output; `KeeperGone` where it does not run. */
  connect(container: Container, command: readonly string[]): Promise<LinkConnection>
  /** Unpacks an archive into a volume that a container shows at a path, whether it runs or not. */
  unpack(container: Container, archive: NodeJS.ReadableStream, path: string): Promise<void>
  hasFile(container: Container, path: string): Promise<boolean>
  /** Its number on the engine's machine; null when it has ended, or can't be asked. */
  firstProcess(container: Container): Promise<number | null>
  /** What its processes use now; null when they have ended. */
  usage(container: Container): Promise<RunningUsage | null>
  /** Ends all its processes; one that is already gone is fine. */
  remove(name: string): Promise<void>
  /** By the value of a label: the names of the containers that have it. */
  labelled(label: string): Promise<readonly (readonly [name: string, value: string])[]>
  information(): Promise<EngineInformation>
  images(): Promise<readonly string[]>
  /** Where an image wants to have volumes, which the engine would make on its own disk. */
  volumesOf(image: string): Promise<readonly string[]>
  /** Where it will be mounted, on the engine's machine. */
  makeVolume(settings: VolumeCreateOptions): Promise<string>
  /** One that is already gone is fine. */
  removeVolume(name: string): Promise<void>
  /** As `labelled`, for volumes. */
  volumesLabelled(label: string): Promise<readonly (readonly [name: string, value: string])[]>
}

export interface EngineOptions {
  readonly address: EngineAddress
  readonly clock: Clock
  readonly load?: () => Promise<{ readonly default: typeof Docker }>
}

const closedConnection = new Set(["ECONNRESET", "EPIPE"])

export async function connectEngine(options: EngineOptions): Promise<Engine> {
  const { address, clock, load = () => import("dockerode") } = options
  const problem = packageProblem("The docker host", ["dockerode"])
  if (problem !== null) throw permanentFailure(problem)
  const { default: Library } = await load().catch((cause: unknown) => {
    throw permanentFailure(`The docker host can't load dockerode: ${errorText(cause)}`, { cause })
  })
  const docker = new Library(address.options)

  async function askOnce<T>(call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController()
    const cancel = clock.after(dockerLimits.requestMs, () => late.abort())
    return call(late.signal).finally(cancel)
  }
  /** A connection that was idle may be closed just as it is used again. Each of these requests may be made twice. */
  const ask = <T>(call: (abortSignal: AbortSignal) => Promise<T>) =>
    askOnce(call).catch((error: unknown) => {
      if (!closedConnection.has(errorCode(error) ?? "")) throw error
      return askOnce(call)
    })
  const explain = (error: unknown): never => {
    throw error instanceof ToolFailure ? error : engineFailure(error, address.shown)
  }
  const get = <T>(call: (abortSignal: AbortSignal) => Promise<T>) => ask(call).catch(explain)
  // It takes a signal as all others do, though it is not declared to.
  const inform: (options: object) => Promise<EngineInformation> = docker.info.bind(docker)
  const information = () => get((abortSignal) => inform({ abortSignal }))
  const unlessGone = (error: unknown) => (statusOf(error) === 404 ? undefined : explain(error))

  const images = async () => {
    const found = await get((abortSignal) => docker.listImages({ abortSignal }))
    const names = found.flatMap(({ RepoTags }) => RepoTags ?? [])
    return names.map(familiar).sort()
  }
  const missing = async (image: string) => {
    const program = identify(await information()).name === "Podman" ? "podman" : "docker"
    return noSuchImage(image, await images(), program)
  }
  const remove = async (name: string) => {
    const container = docker.getContainer(name)
    try {
      await ask((abortSignal) => container.remove({ force: true, v: true, abortSignal }))
    } catch (error) {
      if (statusOf(error) === 404) return
      if (statusOf(error) !== 409) explain(error)
      // The engine is about to remove it: it has ended by itself.
      const condition = "removed"
      await ask((abortSignal) => container.wait({ condition, abortSignal })).catch(unlessGone)
    }
  }

  return {
    images,
    remove,
    async create(name, settings) {
      const { Image: image = "" } = settings
      // Some engines make an empty container of no name.
      if (image === "") throw await missing(image)
      const make = () =>
        ask((abortSignal) => docker.createContainer({ ...settings, name, abortSignal }))
      try {
        return await make().catch(async (error) => {
          if (statusOf(error) !== 409) throw error
          await remove(name)
          return make()
        })
      } catch (error) {
        if (statusOf(error) === 404) throw await missing(image)
        // What no image can be named is refused in other words, by each engine in its own.
        const isRefused = statusOf(error) === 400 || statusOf(error) === 500
        const known = isRefused ? await images() : [image]
        if (!isNamed(image, known)) throw await missing(image)
        return explain(error)
      }
    },
    async start(container, image) {
      await ask((abortSignal) => container.start({ abortSignal })).catch((error: unknown) => {
        if (statusOf(error) === null) explain(error)
        throw new UnfitImage(image, `${reasonOf(error)}.`)
      })
    },
    async connect(container, command) {
      const opening = (async () => {
        const exec = await container.exec({
          Cmd: [...command],
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: false,
          Tty: false,
        })
        return execConnection(await exec.start({ hijack: true, stdin: true }))
      })().catch((error: unknown) => {
        const isGone = statusOf(error) === 404 || statusOf(error) === 409
        throw isGone ? new KeeperGone(errorText(error)) : error
      })
      return withTimeout(opening, frameLimits.dialMs, {
        otherwise: () => {
          opening.then(({ close }) => close()).catch(() => {})
          throw new Error("The engine did not connect in time.")
        },
        clock,
      })
    },
    async unpack(container, archive, path) {
      // As long as it takes: the way there may be slow.
      await container.putArchive(archive, { path }).catch(explain)
    },
    async hasFile(container, path) {
      const looked = ask((abortSignal) => container.infoArchive({ path, abortSignal }))
      return looked.then(
        () => true,
        (error) => (statusOf(error) === 404 ? false : explain(error)),
      )
    },
    async ended(container, abortSignal) {
      await container.wait({ abortSignal }).catch(() => {})
    },
    async exitCode(container) {
      // As long as it takes: a copy of many files has no deadline.
      const { StatusCode } = (await container.wait().catch(explain)) as { StatusCode: number }
      return StatusCode
    },
    async firstProcess(container) {
      const looked = ask((abortSignal) => container.inspect({ abortSignal }))
      const { State } = await looked.catch(() => ({ State: { Pid: 0 } }))
      return State.Pid > 0 ? State.Pid : null
    },
    async usage(container) {
      try {
        // It takes a signal as all others do, though it is not declared to.
        const once = { stream: false, "one-shot": true } as const
        const look = (abortSignal: AbortSignal) =>
          container.stats(Object.assign({ abortSignal }, once))
        return usageOf(await ask(look))
      } catch (error) {
        return statusOf(error) === 404 ? null : usageOf({})
      }
    },
    async volumesOf(image) {
      // An image that is not there is refused when a container is created from it. The name becomes a part
      // of a path of the engine's, and the library follows wherever the engine redirects another path.
      if (!imageName.test(image)) return []
      const looked = await docker
        .getImage(image)
        .inspect()
        .catch(() => null)
      return Object.keys(looked?.Config.Volumes ?? {})
    },
    async labelled(label) {
      const filters = { label: [label] }
      const found = await get((abortSignal) =>
        docker.listContainers({ all: true, filters, abortSignal }),
      )
      return found.map(
        ({ Id, Names, Labels }) => [nameIn(Names) ?? Id, Labels[label] ?? ""] as const,
      )
    },
    async makeVolume(settings) {
      const made = await get(async (abortSignal) => {
        const volume = await docker.createVolume({ ...settings, abortSignal })
        return volume.inspect({ abortSignal })
      })
      return made.Mountpoint
    },
    async removeVolume(name) {
      const volume = docker.getVolume(name)
      await ask((abortSignal) => volume.remove({ abortSignal })).catch(unlessGone)
    },
    async volumesLabelled(label) {
      const filters = { label: [label] }
      const { Volumes } = await get((abortSignal) => docker.listVolumes({ filters, abortSignal }))
      return (Volumes ?? []).map(({ Name, Labels }) => [Name, Labels?.[label] ?? ""] as const)
    },
    information,
  }
}

/** Engines leave out what their control groups do not count, or say that it is nothing. */
function usageOf(stats: Partial<ContainerStats>): RunningUsage {
  const { cpu_stats, memory_stats, pids_stats } = stats
  const counted = (value: number | undefined) => value || notCounted
  const cpu = counted(cpu_stats?.cpu_usage?.total_usage)
  const memory = counted(memory_stats?.usage)
  const { inactive_file = 0 } = memory_stats?.stats ?? {}
  return {
    cpuMs: typeof cpu === "number" ? cpu / 1e6 : cpu,
    memoryBytes: typeof memory === "number" ? Math.max(0, memory - inactive_file) : memory,
    processes: counted(pids_stats?.current),
  }
}

const notCounted = { unknown: "the engine does not tell it" }

/** Podman writes in front where an image is from, where Docker does not. */
function familiar(image: string): string {
  return image.replace(/^docker\.io\/(library\/)?/, "")
}

/** Images also have numbers, which are not listed. */
function isNamed(image: string, known: readonly string[]): boolean {
  return (
    /^[0-9a-f]{12,64}$|@?sha256:/.test(image) ||
    known.some((name) => [image, `${image}:latest`].includes(name))
  )
}

function nameIn(names: readonly string[]): string | undefined {
  return names[0]?.replace(/^\//, "")
}
