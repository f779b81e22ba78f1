import type { ContainerCreateOptions, MountSettings } from "dockerode"
import { injectedFirst } from "../../../agent/commands/require-programs.ts"
import {
  exchangeBytes,
  keeperPaths,
  keeperProgram,
  makePipes,
} from "../../../agent/frames/keeper-program.ts"
import { accountFiles } from "../../../host/sandbox-user.ts"
import { relayOptions } from "../../../network/relay.ts"
import { injectedNode } from "../../../programs/injected-node.ts"
import { type Identity, ownerLabel } from "../container-settings.ts"
import { seccompProfile } from "../seccomp-profile.ts"

export interface KeeperSpec {
  readonly image: string
  readonly token: string
  readonly owner: string
  readonly identity: Identity
  /** The image has a Node of its own; else it is given this machine's. */
  readonly hasNode: boolean
  readonly mounts: readonly MountSettings[]
  readonly binds: readonly string[]
}

const home = "/home/user"

/** A file system in memory, which the keeper writes and the sandbox only reads. */
export const exchangeVolume = {
  Driver: "local",
  DriverOpts: {
    ...{ type: "tmpfs", device: "tmpfs" },
    o: `size=${exchangeBytes},mode=755,nosuid,nodev,noexec`,
  },
}

/** The container beside a sandbox's that has its pipes. No program of the sandbox can see or reach it. */
export function keeperSettings(spec: KeeperSpec): ContainerCreateOptions {
  const accounts = accountFiles(spec.identity)
  const memory = 2 * exchangeBytes
  return {
    Image: spec.image,
    Entrypoint: ["/bin/sh", "-c"],
    Cmd: [start(spec), "sh", accounts.passwd, accounts.group, keeperProgram(spec.token, home)],
    User: "0:0",
    WorkingDir: "/",
    Labels: { [ownerLabel]: spec.owner },
    StopSignal: "SIGKILL",
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      AutoRemove: true,
      ReadonlyRootfs: true,
      NetworkMode: "none",
      IpcMode: "private",
      CapDrop: ["ALL"],
      // To give a new home to its user, and to count what that user has closed to himself.
      CapAdd: ["CHOWN", "DAC_READ_SEARCH"],
      SecurityOpt: ["no-new-privileges", `seccomp=${seccompProfile(process.arch)}`],
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: 64,
      Tmpfs: { [keeperPaths.own]: "rw,nosuid,nodev,noexec,mode=700,size=64k" },
      Mounts: [...spec.mounts],
      Binds: [...spec.binds],
      LogConfig: { Type: "none", Config: {} },
    },
  }
}

function start({ identity, hasNode }: KeeperSpec): string {
  const node = hasNode ? "node" : `/bin/sh ${injectedNode}`
  return [
    `${injectedFirst}; ${makePipes()} &&`,
    'printf %s "$1" >passwd && printf %s "$2" >group || exit 1;',
    // A new one is root's.
    `if [ -O ${home} ]; then chmod 700 ${home} && chown ${identity.user}:${identity.group} ${home} || exit 1; fi;`,
    `exec ${node} ${relayOptions.join(" ")} -e "$3"`,
  ].join("\n")
}
