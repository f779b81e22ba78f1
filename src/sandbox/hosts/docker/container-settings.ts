import type { ContainerCreateOptions, MountSettings } from "dockerode"
import type { Network } from "../../../contract/index.ts"
import { agentCommand } from "../../agent/commands/agent-command.ts"
import type { InjectedPrograms } from "../../agent/commands/inject-programs.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { type HeldLimits, temporaryBytesOf } from "../../host/choose-limits.ts"
import { sandboxEnvironment } from "../../host/sandbox-user.ts"
import { sandboxLimits } from "../../limits.ts"
import { injectedPaths } from "../../programs/inject-programs.ts"
import { homeMount } from "./home-mount.ts"
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
  /** What it sees beside its image. */
  readonly mounts: readonly MountSettings[]
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
  const agent = agentCommand(injected, commandProcesses(identity, spec.limits))
  return {
    Image: image,
    // As the first process the agent takes in orphans, and no process inside can kill it.
    Entrypoint: [...agent.program],
    Cmd: [...agent.arguments],
    User: `${identity.user}:${identity.group}`,
    Hostname: "sandbox",
    WorkingDir: "/home/user",
    // PATH is the image's own.
    Env: Object.entries(sandboxEnvironment).map(([name, value]) => `${name}=${value}`),
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
    Mounts: [...spec.mounts, ...volumeMounts(volumes, temporaryBytesOf(memoryBytes))],
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

/** Of this machine, whose files the engine has as well. */
export function localMounts(
  { stack, isKept, exchange, etc, programs }: ContainerPaths,
  injected: InjectedPrograms | null,
): readonly MountSettings[] {
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

/** Some are reserved for the agent, or a fork bomb could not be ended. The system counts by user. */
function commandProcesses({ isOwn }: Identity, { processes }: HeldLimits): number | null {
  return isOwn ? processes - sandboxLimits.processesReserved : null
}
