import type Docker from "dockerode"
import type { Container, ContainerCreateOptions, VolumeCreateOptions } from "dockerode"
import { ToolFailure } from "../../../contract/index.ts"
import { type Clock, errorText } from "../../../kit/index.ts"
import { packageProblem } from "../../../node/index.ts"
import { UnfitImage } from "../../agent/commands/require-programs.ts"
import { permanentFailure } from "../../host/unsupported.ts"
import { dockerLimits } from "../../limits.ts"
import { engineFailure, imageName, noSuchImage, reasonOf, statusOf } from "./engine-failure.ts"
import { type EngineIdentity, type EngineInformation, identify } from "./examine-engine.ts"

/** Docker or Podman, as far as sandboxes use it. Every call ends; what it throws is a ToolFailure. */
export interface Engine {
  /** Removes a container of the same name that was left behind. */
  create(name: string, settings: ContainerCreateOptions): Promise<Container>
  start(container: Container, image: string): Promise<void>
  /** Resolves when the container has ended or can't be asked; `signal` stops the asking. */
  ended(container: Container, signal: AbortSignal): Promise<void>
  /** How it has ended, once it has. */
  exitCode(container: Container): Promise<number>
  /** Its number on the engine's machine; null when it has ended, or can't be asked. */
  firstProcess(container: Container): Promise<number | null>
  /** Ends all its processes; one that is already gone is fine. */
  remove(name: string): Promise<void>
  /** By the value of a label: the names of the containers that have it. */
  labelled(label: string): Promise<readonly (readonly [name: string, value: string])[]>
  information(): Promise<EngineInformation>
  identity(): Promise<EngineIdentity>
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
  readonly socketPath: string
  readonly clock: Clock
  readonly load?: () => Promise<{ readonly default: typeof Docker }>
}

export async function connectEngine(options: EngineOptions): Promise<Engine> {
  const { socketPath, clock, load = () => import("dockerode") } = options
  const problem = packageProblem("The docker host", ["dockerode"])
  if (problem !== null) throw permanentFailure(problem)
  const { default: Library } = await load().catch((cause: unknown) => {
    throw permanentFailure(`The docker host can't load dockerode: ${errorText(cause)}`, { cause })
  })
  const docker = new Library({ socketPath })

  async function ask<T>(call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController()
    const cancel = clock.after(dockerLimits.requestMs, () => late.abort())
    return call(late.signal).finally(cancel)
  }
  const explain = (error: unknown): never => {
    throw error instanceof ToolFailure ? error : engineFailure(error, socketPath)
  }
  const get = <T>(call: (abortSignal: AbortSignal) => Promise<T>) => ask(call).catch(explain)
  // Both take a signal as all others do, though they are not declared to.
  const tell = (about: (options: never) => unknown) =>
    get((abortSignal) => about({ abortSignal } as never) as Promise<object>)
  const unlessGone = (error: unknown) => (statusOf(error) === 404 ? undefined : explain(error))

  const images = async () => {
    const found = await get((abortSignal) => docker.listImages({ abortSignal }))
    const names = found.flatMap(({ RepoTags }) => RepoTags ?? [])
    return names.map(familiar).sort()
  }
  const identity = async () => identify(await tell(docker.version.bind(docker)))
  const missing = async (image: string) => {
    const program = (await identity()).name === "Podman" ? "podman" : "docker"
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
    identity,
    information: () => tell(docker.info.bind(docker)),
  }
}

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
