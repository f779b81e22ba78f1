import { existsSync, readlinkSync } from "node:fs"
import type { Network } from "../../../contract/index.ts"

export interface SandboxPlaces {
  /** The sandbox's own files, on this machine. */
  readonly home: string
  /** Where commands and output are handed over. */
  readonly exchange: string
  /** A passwd, a group and a hosts file that name nobody of this machine. */
  readonly etc: string
  /** Programs of Toolkeep's own. */
  readonly programs: string
}

export interface SandboxSettings {
  readonly temporaryBytes: number
  readonly network: Network["kind"]
}

/** File descriptors that bwrap gets beside its standard streams. */
const descriptors = { seccomp: 3, info: 4, block: 5 } as const

const inside = {
  user: "1000",
  home: "/home/user",
  exchange: "/run/toolkeep",
  programs: "/run/toolkeep-bin",
}

/** Read-only from this machine, where it has them: programs, and what programs need to start. */
const systemFiles = ["/usr", "/opt"]
const systemLinks = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
const settingFiles = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/ssl",
  "/etc/ca-certificates",
  "/etc/mime.types",
  "/etc/protocols",
  "/etc/services",
]

/** Everything that makes a sandbox of a process. The last word decides where two say different things. */
export function bwrapArguments(places: SandboxPlaces, settings: SandboxSettings): string[] {
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
    // An allow-list is kept by having no network, and a way to a proxy.
    ...(settings.network === "full" ? ["--share-net", ...nameServers()] : []),
    ...["--hostname", "sandbox", "--new-session", "--die-with-parent", "--cap-drop", "ALL"],
    ...systemFiles.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
    ...systemLinks.flatMap(linkOrBind),
    ...settingFiles.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
    ...["passwd", "group", "hosts", "nsswitch.conf"].flatMap((name) => [
      ...["--ro-bind", `${places.etc}/${name}`, `/etc/${name}`],
    ]),
    ...["--proc", "/proc", "--dev", "/dev"],
    // Without a size of their own they could grow to half of the machine's memory.
    ...["/dev/shm", "/tmp"].flatMap((path) => [
      ...["--perms", "1777", "--size", String(settings.temporaryBytes), "--tmpfs", path],
    ]),
    ...["--remount-ro", "/dev"],
    ...["--bind", places.home, inside.home],
    ...["--ro-bind", places.exchange, inside.exchange],
    ...["--ro-bind", places.programs, inside.programs],
    ...["--remount-ro", "/"],
    ...["--clearenv", "--chdir", inside.home],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--seccomp", String(descriptors.seccomp), "--info-fd", String(descriptors.info)],
    ...["--block-fd", String(descriptors.block)],
  ]
}

const environment: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
  HOME: inside.home,
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
}

function nameServers(): string[] {
  const path = "/etc/resolv.conf"
  return existsSync(path) ? ["--ro-bind", path, path] : []
}

/** Merged systems have links to /usr here, others have directories. */
function linkOrBind(path: string): string[] {
  if (!existsSync(path)) return []
  try {
    return ["--symlink", readlinkSync(path), path]
  } catch {
    return ["--ro-bind", path, path]
  }
}
