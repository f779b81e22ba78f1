import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ContainerCreateOptions, MountSettings } from "dockerode"
import { makeDirectories, sha256 } from "../../../node/index.ts"
import { permanentFailure } from "../../host/unsupported.ts"
import { writeWhole } from "../../programs/place-whole.ts"
import { ownerLabel } from "./container-settings.ts"
import type { Engine } from "./engine.ts"

interface PodmanOptions {
  /** Where the host stores its files; the engine reads there what it wants to have as a file. */
  readonly directory: string
  readonly defaultRuntime: string | undefined
}

/**
 * Podman, used as Docker is. It takes the same requests and understands some of them otherwise: what it
 * would quietly leave out is given to it in another way here, or refused.
 */
export function podmanEngine(engine: Engine, options: PodmanOptions): Engine {
  async function remove(name: string): Promise<void> {
    await engine.remove(name)
    // It has a name, so it stays when its container goes.
    await engine.removeVolume(name)
  }

  return {
    ...engine,
    remove,
    async create(name, settings) {
      requireRuntime(settings, options.defaultRuntime)
      requirePlainPaths(settings)
      const layered = settings.HostConfig?.Mounts?.find(
        (mount) => mount.Type === "volume" && !isMemory(mount),
      )
      const volume = layered ? await makeVolume(name, layered, settings) : null
      const placed = (profile: string) =>
        placeProfile(join(options.directory, "shared", "seccomp"), profile)
      return engine.create(name, podmanSettings(settings, { volume, placed, limits: openLimits() }))
    },
    async labelled(label) {
      const [containers, volumes] = await Promise.all([
        engine.labelled(label),
        engine.volumesLabelled(label),
      ])
      return [...new Map([...volumes, ...containers])]
    },
  }

  /** One of that name is another's layers, and making it again would change nothing about it. */
  async function makeVolume(
    name: string,
    { VolumeOptions }: MountSettings,
    { Labels }: ContainerCreateOptions,
  ): Promise<PodmanVolume> {
    await remove(name)
    const path = await engine.makeVolume({
      Name: name,
      Driver: "local",
      DriverOpts: VolumeOptions?.DriverConfig.Options ?? {},
      Labels: { [ownerLabel]: Labels?.[ownerLabel] ?? "" },
    })
    return { name, path }
  }
}

/** Podman takes the name of a runtime and uses its own all the same. */
function requireRuntime({ HostConfig }: ContainerCreateOptions, used: string | undefined): void {
  const wanted = HostConfig?.Runtime
  if (wanted === undefined || wanted === used) return
  throw permanentFailure(
    `Podman starts every container with the runtime it was started with (${used ?? "unknown"}), and not with ${wanted}. Start it with podman --runtime ${wanted} system service, or use another host.`,
  )
}

/** It writes a mount as one line of words with commas between them, and reads it again. */
function requirePlainPaths({ HostConfig }: ContainerCreateOptions): void {
  const odd = HostConfig?.Mounts?.find(({ Source }) => /[,"\n]/.test(Source))
  if (!odd) return
  throw permanentFailure(
    `Podman can't show the directory ${JSON.stringify(odd.Source)} to a container: its path has a comma, a quotation mark or a line break. Let Toolkeep keep its files elsewhere (TOOLKEEP_HOME).`,
  )
}

interface PodmanPaths {
  /** What takes the place of a volume that was to be made with the container. */
  readonly volume: PodmanVolume | null
  /** Puts a filter of system calls into a file, and says where that is. */
  readonly placed: (profile: string) => string
  readonly limits: OpenLimits
}

interface PodmanVolume {
  readonly name: string
  /** Where the engine mounts it, on this machine. */
  readonly path: string
}

/** What every process of a container may have of the kernel. */
interface OpenLimits {
  readonly nofile: number
  readonly nproc: number
}

type HostConfig = NonNullable<ContainerCreateOptions["HostConfig"]>

/** What a container was to be on Docker, in the words that Podman needs for the same. */
export function podmanSettings(
  settings: ContainerCreateOptions,
  paths: PodmanPaths,
): ContainerCreateOptions {
  return { ...settings, HostConfig: hostSettings(settings.HostConfig ?? {}, paths) }
}

function hostSettings(host: HostConfig, { volume, placed, limits }: PodmanPaths): HostConfig {
  const { Mounts = [], Binds = [], SecurityOpt = [], Tmpfs = {} } = host
  return {
    ...host,
    // The options of a mounted volume are not read, but those of a volume that is there already are.
    Mounts: Mounts.filter((mount) => !isMemory(mount)).map((mount) =>
      mount.Type === "volume" && volume
        ? { Type: "bind", Source: volume.path, Target: mount.Target }
        : mount,
    ),
    Binds: volume ? [...Binds, `${volume.name}:${unlikely}:ro,nocopy`] : [...Binds],
    SecurityOpt: SecurityOpt.map((option: string) => inFile(option, placed)),
    // Beside a root that can't be written it mounts these as writable, without a size.
    Tmpfs: { "/run": closed, "/var/tmp": closed, ...memoryMounts(Mounts), ...Tmpfs },
    Ulimits: Object.entries(limits).map(([Name, most]) => ({ Name, Soft: most, Hard: most })),
    // Whatever the engine's own settings say: a user's number is the same inside and outside.
    UsernsMode: "host",
  }
}

/**
 * A volume is mounted for the container that names it, and given to the owner of the image's directory of
 * the same path, or to the container's user where the image has none. So it is named for a path that
 * no image has, and shown from where it is mounted.
 */
const unlikely = "/run/toolkeep-home"

/** A volume that is memory. */
function isMemory({ Type, VolumeOptions }: MountSettings): boolean {
  return Type === "volume" && VolumeOptions?.DriverConfig.Options.type === "tmpfs"
}

/** Podman copies the image's files there by itself. */
function memoryMounts(mounts: readonly MountSettings[]): Record<string, string> {
  const mounted = mounts.filter(isMemory).map(({ Target, VolumeOptions }) => {
    const options = VolumeOptions?.DriverConfig.Options.o ?? ""
    return [Target, `rw,nosuid,nodev,exec,${options}`] as const
  })
  return Object.fromEntries(mounted)
}

const closed = "ro,nosuid,nodev,noexec,size=64k,mode=755"

const filter = "seccomp="

function inFile(option: string, placed: PodmanPaths["placed"]): string {
  return option.startsWith(filter) ? filter + placed(option.slice(filter.length)) : option
}

/** What Podman asks for when nothing is said. */
const podmanDefault = 1_048_576

/**
 * This process's own. Podman asks for a million of each, which the kernel refuses to an engine that may
 * not raise limits, as in many containers and virtual machines.
 */
export function openLimits(read = (path: string) => readFileSync(path, "utf8")): OpenLimits {
  const own = read("/proc/self/limits")
  const mostOf = (name: string) => {
    const hard = Number(new RegExp(`^${name} +\\S+ +(\\S+)`, "m").exec(own)?.[1])
    return Number.isNaN(hard) ? podmanDefault : Math.min(hard, podmanDefault)
  }
  // No more numbers of processes are given out, and Podman lowers its own limit to that.
  const numbers = Number(read("/proc/sys/kernel/pid_max"))
  return { nofile: mostOf("Max open files"), nproc: Math.min(mostOf("Max processes"), numbers) }
}

/**
 * A filter of system calls as a file, named after its content and in a directory that only this user
 * writes. Looked at before each use: an engine that finds another filter there would start without ours.
 */
export function placeProfile(directory: string, profile: string): string {
  makeDirectories(directory, 0o755)
  chmodSync(directory, 0o755)
  const name = sha256(profile)
  const path = join(directory, `${name}.json`)
  writeWhole(path, profile)
  return path
}
