import { existsSync } from "node:fs"
import type { Network } from "../../../contract/index.ts"
import type { InjectedPrograms } from "../../agent/commands/inject-programs.ts"
import type { Mount } from "../../host/host.ts"
import { injectedPaths } from "../../programs/inject-programs.ts"
import { defaultSearchPath, type ImageRoot } from "./images/image-root.ts"
import { hostArguments, treeArguments } from "./images/root-arguments.ts"
import { ownSettings } from "./prepare-files.ts"

export interface SandboxPaths {
  readonly root: ImageRoot
  readonly injected: InjectedPrograms | null
  /** The sandbox's own files, on this machine. */
  readonly home: string
  /** Where commands and output are handed over. */
  readonly exchange: string
  /** A passwd, a group and a hosts file that name nobody of this machine. */
  readonly etc: string
  /** Programs of Toolkeep's own. */
  readonly programs: string
  readonly mounts: readonly Mount[]
}

export interface SandboxSettings {
  readonly temporaryBytes: number
  readonly network: Network["kind"]
}

/** File descriptors that bwrap gets beside its standard streams. */
const descriptors = { seccomp: 3, info: 4 } as const

const inside = {
  user: "1000",
  home: "/home/user",
  exchange: "/run/toolkeep",
  programs: "/run/toolkeep-bin",
}

/** Everything that makes a sandbox of a process. The last word decides where two say different things. */
export function bwrapArguments(paths: SandboxPaths, settings: SandboxSettings): string[] {
  const { root, injected } = paths
  const searchPath = root.kind === "tree" && root.searchPath ? { PATH: root.searchPath } : {}
  const shown = settingFiles(paths, settings)
  return [
    ...[
      "--unshare-all",
      "--unshare-user",
      "--disable-userns",
      "--uid",
      inside.user,
      "--gid",
      inside.user,
    ],
    // An allow-list is enforced by having no network, and a way to a proxy.
    ...(settings.network === "full" ? ["--share-net"] : []),
    ...["--hostname", "sandbox", "--new-session", "--die-with-parent", "--cap-drop", "ALL"],
    ...(root.kind === "host"
      ? hostArguments(paths.etc)
      : treeArguments(root.path, {
          settings: Object.keys(shown),
          bash: injected?.withBash ? injectedPaths.bash : null,
        })),
    ...Object.entries(shown).flatMap(([name, path]) => ["--ro-bind", path, `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev"],
    // Without a size of their own they could grow to half of the machine's memory.
    ...["/dev/shm", "/tmp"].flatMap((path) => [
      ...["--perms", "1777", "--size", String(settings.temporaryBytes), "--tmpfs", path],
    ]),
    ...["--remount-ro", "/dev"],
    ...["--bind", paths.home, inside.home],
    ...["--ro-bind", paths.exchange, inside.exchange],
    ...["--ro-bind", paths.programs, inside.programs],
    ...(injected ? ["--ro-bind", injected.directory, injectedPaths.inside] : []),
    ...paths.mounts.flatMap(({ source, target, writable }) => [
      ...[writable ? "--bind" : "--ro-bind", source, target],
    ]),
    ...["--remount-ro", "/"],
    ...["--clearenv", "--chdir", inside.home],
    ...Object.entries({ ...environment, ...searchPath }).flatMap(([name, value]) => [
      ...["--setenv", name, value],
    ]),
    ...["--seccomp", String(descriptors.seccomp), "--info-fd", String(descriptors.info)],
  ]
}

const environment: Readonly<Record<string, string>> = {
  PATH: defaultSearchPath,
  HOME: inside.home,
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
}

/** By their names in /etc: a sandbox that shares this machine's network also asks its name servers. */
function settingFiles(
  { root, etc }: SandboxPaths,
  { network }: SandboxSettings,
): Readonly<Record<string, string>> {
  const names = Object.keys(ownSettings).filter((name) => name !== nameServers)
  const own = root.kind === "host" ? [] : names.map((name) => [name, `${etc}/${name}`] as const)
  const path = `/etc/${nameServers}`
  const isShown = network === "full" && existsSync(path)
  return Object.fromEntries(isShown ? [...own, [nameServers, path]] : own)
}

const nameServers = "resolv.conf"
