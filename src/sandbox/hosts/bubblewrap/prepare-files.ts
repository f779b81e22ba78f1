import { cpSync, existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findProgram, makeDirectories, sha256 } from "../../../node/index.ts"
import { seccompFilter } from "../../confine/seccomp-filter.ts"
import { makeWalkable, touch } from "../../owners/shared-directory.ts"
import { placeWhole, writeWhole } from "../../programs/place-whole.ts"
import { placeRipgrep } from "../../programs/ripgrep.ts"

/** What all sandboxes of a host share, read-only. */
export interface SharedFiles {
  readonly bwrap: string
  /** With a passwd, a group and a hosts file that name nobody of this machine. */
  readonly etc: string
  readonly filter: string
  /** Programs that every sandbox is given, among them ripgrep; more can be put there later. */
  readonly programs: string
}

/** Written when they are missing; several processes may do that at once. */
export function prepareFiles(directory: string, path: string): SharedFiles {
  const shared = join(directory, "shared")
  const filter = join(shared, "seccomp.bpf")
  for (const path of [directory, shared]) makeWalkable(path)
  // Also over one with another content: it may be of another version, or not whole.
  writeWhole(filter, seccompFilter(process.arch === "arm64" ? "arm64" : "x64"))
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

/** Of this machine's /etc, what programs need to start and to trust other machines. Nothing secret. */
const taken = [
  "alternatives",
  "ca-certificates",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
]

/** Files that name nobody of this machine. */
export const ownSettings: Readonly<Record<string, string>> = {
  passwd: "root:x:0:0:root:/nonexistent:/bin/false\nuser:x:1000:1000:user:/home/user:/bin/bash\n",
  group: "root:x:0:\nuser:x:1000:\n",
  hosts: "127.0.0.1 localhost sandbox\n::1 localhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  // The place of this machine's own, for sandboxes that share its network.
  "resolv.conf": "",
}

/**
 * The /etc of a sandbox that has this machine's programs, as one directory: to show ten files one by one
 * costs a sandbox a tenth of its start. A change of the machine's own makes another one, and those that run keep theirs.
 */
function prepareEtc(shared: string): string {
  const target = join(shared, `etc-${fingerprint()}`)
  if (existsSync(target)) {
    touch(target)
    return target
  }
  placeWhole(target, (directory) => {
    makeDirectories(join(directory, "ssl"), 0o755)
    for (const name of taken) {
      const source = join("/etc", name)
      if (existsSync(source)) cpSync(source, join(directory, name), copying)
    }
    for (const [name, content] of Object.entries(ownSettings)) {
      writeFileSync(join(directory, name), content, { mode: 0o644 })
    }
  })
  return target
}

const copying = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true } as const

function fingerprint(): string {
  const seen = taken.map((name) => {
    const stats = statSync(join("/etc", name), { throwIfNoEntry: false })
    return [name, stats?.mtimeMs, stats?.ctimeMs, stats?.size]
  })
  return sha256(JSON.stringify([seen, ownSettings])).slice(0, 16)
}
