import { readFileSync } from "node:fs"
import type { ContainerCreateOptions, MountSettings } from "dockerode"

export interface PodmanPlaces {
  /** What takes the place of a volume that was to be made with the container. */
  readonly volume: PodmanVolume | null
  /** Puts a filter of system calls into a file, and says where that is. */
  readonly placed: (profile: string) => string
  readonly limits: OpenLimits
}

export interface PodmanVolume {
  readonly name: string
  /** Where the engine mounts it, on this machine. */
  readonly path: string
}

/** What every process of a container may have of the kernel. */
export interface OpenLimits {
  readonly nofile: number
  readonly nproc: number
}

type HostConfig = NonNullable<ContainerCreateOptions["HostConfig"]>

/** What a container was to be on Docker, in the words that Podman needs for the same. */
export function podmanSettings(
  settings: ContainerCreateOptions,
  places: PodmanPlaces,
): ContainerCreateOptions {
  return { ...settings, HostConfig: hostSettings(settings.HostConfig ?? {}, places) }
}

function hostSettings(host: HostConfig, { volume, placed, limits }: PodmanPlaces): HostConfig {
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
    // Beside a root that can't be written it puts these as places that can, without a size.
    Tmpfs: { "/run": closed, "/var/tmp": closed, ...memoryPlaces(Mounts), ...Tmpfs },
    Ulimits: Object.entries(limits).map(([Name, most]) => ({ Name, Soft: most, Hard: most })),
    // Whatever the engine's own settings say: a user's number is the same inside and outside.
    UsernsMode: "host",
  }
}

/**
 * A volume is mounted for the container that names it, and given to whom the image's directory of the
 * same path belongs, or to the container's user where the image has none. So it is named for a path that
 * no image has, and shown from where it is mounted.
 */
const unlikely = "/run/toolkeep-home"

/** A volume that is memory. */
export function isMemory({ Type, VolumeOptions }: MountSettings): boolean {
  return Type === "volume" && VolumeOptions?.DriverConfig.Options.type === "tmpfs"
}

/** Podman copies the image's files there by itself. */
function memoryPlaces(mounts: readonly MountSettings[]): Record<string, string> {
  const places = mounts.filter(isMemory).map(({ Target, VolumeOptions }) => {
    const options = VolumeOptions?.DriverConfig.Options.o ?? ""
    return [Target, `rw,nosuid,nodev,exec,${options}`] as const
  })
  return Object.fromEntries(places)
}

const closed = "ro,nosuid,nodev,noexec,size=64k,mode=755"

const filter = "seccomp="

function inFile(option: string, placed: PodmanPlaces["placed"]): string {
  return option.startsWith(filter) ? filter + placed(option.slice(filter.length)) : option
}

/** What Podman asks for when nothing is said. */
const usual = 1_048_576

/**
 * This process's own. Podman asks for a million of each, which the kernel refuses to an engine that may
 * not raise limits, as in many containers and virtual machines.
 */
export function openLimits(read = (path: string) => readFileSync(path, "utf8")): OpenLimits {
  const own = read("/proc/self/limits")
  const mostOf = (name: string) => {
    const hard = Number(new RegExp(`^${name} +\\S+ +(\\S+)`, "m").exec(own)?.[1])
    return Number.isNaN(hard) ? usual : Math.min(hard, usual)
  }
  // No more numbers of processes are given out, and Podman lowers its own limit to that.
  const numbers = Number(read("/proc/sys/kernel/pid_max"))
  return { nofile: mostOf("Max open files"), nproc: Math.min(mostOf("Max processes"), numbers) }
}
