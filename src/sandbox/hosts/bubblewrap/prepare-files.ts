import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createId } from "../../../kit/index.ts"
import { findProgram, makeDirectories } from "../../../node/index.ts"
import { makeWalkable } from "../../owners/walkable-directory.ts"
import { placeRipgrep } from "../../programs/place-ripgrep.ts"
import { prepareEtc } from "./prepare-etc.ts"
import { seccompFilter } from "../../confine/seccomp-filter.ts"

/** What all sandboxes of a host share, read-only. */
export interface SharedFiles {
  readonly bwrap: string
  /** With a passwd, a group and a hosts file that name nobody of this machine. */
  readonly etc: string
  readonly filter: string
  /** Programs that every sandbox is given, among them ripgrep; more can be put there later. */
  readonly programs: string
}

/** Written anew when they are missing; several processes may do that at once. */
export function prepareFiles(directory: string, path: string): SharedFiles {
  const shared = join(directory, "shared")
  const filter = join(shared, "seccomp.bpf")
  for (const path of [directory, shared]) makeWalkable(path)
  write(filter, seccompFilter(process.arch === "arm64" ? "arm64" : "x64"))
  const programs = join(shared, "bin")
  // Copied, because the sandbox's user may not be able to walk to where it is installed.
  makeDirectories(programs, 0o755)
  placeRipgrep(join(programs, "rg"))
  return {
    bwrap: findProgram("bwrap", path) ?? "bwrap",
    etc: prepareEtc(shared),
    filter,
    programs,
  }
}

/** Also over one with another content: it may be of another version, or not whole. */
function write(path: string, content: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  // Whole or not at all: another process may be about to use it.
  const temporary = `${path}.${createId("new")}`
  writeFileSync(temporary, content, { mode: 0o644 })
  renameSync(temporary, path)
}
