import { existsSync, readlinkSync } from "node:fs"
import { findProgram } from "../../node/index.ts"
import { seccompFilter } from "./seccomp-filter.ts"

/** A command that runs a program behind a wall of its own. */
export interface ConfinedProgram {
  readonly command: readonly [string, ...string[]]
  /** What the command reads from the descriptor `filterDescriptor`. */
  readonly filter: Uint8Array
}

export interface ConfineOptions {
  /** What it may read beside this system's programs: files and directories, by their own paths. */
  readonly readable: readonly string[]
  readonly temporaryBytes: number
}

export const filterDescriptor = 3

/** Of this system, what programs and their libraries read. Nothing secret. */
const system = ["/usr", "/nix/store", "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig"]
const links = ["/bin", "/lib", "/lib32", "/lib64"]
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/**
 * For work on bytes that somebody else chose: a process that can write nothing but temporary files, read
 * no file of anybody, reach no network and no other process, and that ends with this one. Null where
 * there is no bubblewrap; its first start shows whether it works.
 *
 * Start it detached, which gives it a session of its own, and kill its group. With `--new-session`, bwrap's first
 * process inside would leave that group before it is bound to end with bwrap, and a kill in between would miss it.
 */
export function confineProgram(
  program: readonly string[],
  { readable, temporaryBytes }: ConfineOptions,
): ConfinedProgram | null {
  if (process.platform !== "linux") return null
  if (process.arch !== "x64" && process.arch !== "arm64") return null
  const bwrap = findProgram("bwrap", process.env.PATH ?? systemPath)
  if (bwrap === null) return null
  const shown = [...system, ...readable].filter((path) => existsSync(path))
  const command = [
    bwrap,
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"],
    ...["--hostname", "sandbox", "--die-with-parent", "--cap-drop", "ALL"],
    ...links.flatMap(linkOrBind),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", String(temporaryBytes), "--tmpfs", "/tmp"],
    ...shown.flatMap((path) => ["--ro-bind", path, path]),
    ...["--remount-ro", "/dev", "--remount-ro", "/", "--clearenv", "--chdir", "/"],
    ...["--seccomp", String(filterDescriptor), "--", ...program],
  ] as const
  return { command, filter: seccompFilter(process.arch) }
}

/** Merged systems have links to /usr here, others have directories. */
export function linkOrBind(path: string): string[] {
  if (!existsSync(path)) return []
  try {
    return ["--symlink", readlinkSync(path), path]
  } catch {
    return ["--ro-bind", path, path]
  }
}
