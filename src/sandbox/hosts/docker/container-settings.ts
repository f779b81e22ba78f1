import type { ContainerCreateOptions, MountSettings } from "dockerode"
import type { Network } from "../../../contract/index.ts"
import { agentScript } from "../../agent/commands/agent-script.ts"
import type { InjectedPrograms } from "../../agent/commands/inject-programs.ts"
import { requireImage, requirePrograms } from "../../agent/commands/require-programs.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { type HeldLimits, temporaryBytesOf } from "../../host/choose-limits.ts"
import { sandboxLimits } from "../../limits.ts"
import { injectedPaths } from "../../programs/inject-programs.ts"
import { homeMount } from "./home-mount.ts"
import { joinChannel } from "./open-channel.ts"
import { seccompProfile } from "./seccomp-profile.ts"

export interface ContainerPaths {
  /** The sandbox's own files, on this machine. */
  readonly stack: HomeStack
  /** They outlive this process. */
  readonly isKept: boolean
  /** Where commands and output are handed over. */
  readonly exchange: string
  /** A passwd and a group file that name the sandbox's user. */
  readonly etc: string
  /** Programs of Toolkeep's own, among them ripgrep. */
  readonly programs: string
}

/** The user and group of a sandbox, inside and outside. */
export interface Identity {
  readonly user: number
  readonly group: number
  /** Nobody else on this machine has these numbers. */
  readonly isOwn: boolean
}

export interface ContainerSpec {
  readonly image: string
  readonly paths: ContainerPaths
  /** What the image lacks of the programs that are needed. */
  readonly injected: InjectedPrograms | null
  readonly identity: Identity
  readonly owner: string
  readonly runtime: string | null
  readonly binds: readonly string[]
  readonly limits: HeldLimits
  readonly network: Network["kind"]
}

/** What engines give when nothing is said differs a little. */
const sharedMemoryBytes = 64 * 1024 ** 2

export const ownerLabel = "toolkeep.owner"

/** Everything that makes a sandbox of a container of any image, which may want to have volumes. */
export function containerSettings(
  spec: ContainerSpec,
  volumes: readonly string[] = [],
): ContainerCreateOptions {
  const { image, identity, owner, injected } = spec
  return {
    Image: image,
    // As the first process the agent takes in orphans, and no process inside can kill it.
    Entrypoint: [injected ? injectedPaths.bash : "/bin/bash", "--noprofile", "--norc", "-c"],
    Cmd: [
      `${joinChannel} ${injected?.withBash ? requireImage : requirePrograms} ${agentScript}`,
      "bash",
      ...commandProcesses(identity, spec.limits),
    ],
    User: `${identity.user}:${identity.group}`,
    Hostname: "sandbox",
    WorkingDir: "/home/user",
    // PATH is the image's own.
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    Labels: { [ownerLabel]: owner },
    // The agent hears no other.
    StopSignal: "SIGKILL",
    Healthcheck: { Test: ["NONE"] },
    HostConfig: hostSettings(spec, volumes),
  }
}

function hostSettings(
  spec: ContainerSpec,
  volumes: readonly string[],
): ContainerCreateOptions["HostConfig"] {
  const { memoryBytes, processes, processors } = spec.limits
  return {
    // The agent of a Toolkeep that died ends, and with it its container.
    AutoRemove: true,
    ReadonlyRootfs: true,
    // An allow-list is enforced by having no network, and a way to a proxy.
    NetworkMode: spec.network === "full" ? "bridge" : "none",
    IpcMode: "private",
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges", `seccomp=${seccompProfile(process.arch)}`],
    Memory: memoryBytes,
    // The sum of both: nothing is swapped.
    MemorySwap: memoryBytes,
    PidsLimit: processes,
    ShmSize: sharedMemoryBytes,
    NanoCpus: Math.round(processors * 1e9),
    Tmpfs: { "/tmp": `rw,nosuid,nodev,exec,mode=1777,size=${temporaryBytesOf(memoryBytes)}` },
    Mounts: [...mounts(spec), ...volumeMounts(volumes, temporaryBytesOf(memoryBytes))],
    Binds: [...spec.binds],
    LogConfig: { Type: "none", Config: {} },
    ...(spec.runtime === null ? {} : { Runtime: spec.runtime }),
  }
}

/**
 * In place of a volume that the image wants, which would be the engine's disk and have no limit: memory with
 * the same files. Where the sandbox has something of its own, nothing else goes.
 */
function volumeMounts(volumes: readonly string[], bytes: number): MountSettings[] {
  const isFree = (path: string) => !/^\/(home\/user|tmp|run\/.*)?\/*$/.test(path)
  return volumes.filter(isFree).map((Target) => ({
    ...{ Type: "volume", Source: "", Target },
    VolumeOptions: {
      NoCopy: false,
      Labels: {},
      DriverConfig: {
        Name: "local",
        Options: { type: "tmpfs", device: "tmpfs", o: `size=${bytes}` },
      },
    },
  }))
}

function mounts({ paths, injected }: ContainerSpec) {
  const { stack, isKept, exchange, etc, programs } = paths
  const readOnly = (Source: string, Target: string) =>
    ({ Type: "bind", Source, Target, ReadOnly: true }) as const
  return [
    homeMount(stack, isKept),
    readOnly(exchange, "/run/toolkeep"),
    readOnly(`${etc}/passwd`, "/etc/passwd"),
    readOnly(`${etc}/group`, "/etc/group"),
    readOnly(programs, "/run/toolkeep-bin"),
    ...(injected ? [readOnly(injected.directory, injectedPaths.inside)] : []),
    ...(injected?.withBash ? [readOnly(`${injected.directory}/bin/bash`, "/bin/bash")] : []),
  ]
}

const environment: Readonly<Record<string, string>> = {
  HOME: "/home/user",
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
}

/** Some are reserved for the agent, or a fork bomb could not be ended. The system counts by user. */
function commandProcesses({ isOwn }: Identity, { processes }: HeldLimits): string[] {
  return isOwn ? [String(processes - sandboxLimits.processesReserved)] : []
}
