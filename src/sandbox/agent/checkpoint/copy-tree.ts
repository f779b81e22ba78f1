import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { join } from "node:path"
import { errorCode } from "../../../kit/index.ts"
import { copySparse } from "./copy-sparse.ts"
import type { KnownFiles } from "./known-files.ts"

/** A tree that processes may change while it is copied. */
export interface TreeCopyRequest {
  /** An open directory. Names are looked up from there, one at a time, and no link is followed. */
  readonly source: number
  /** A directory that is not there yet. */
  readonly target: string
  /** An earlier copy, and how the files of the source were when it was made. */
  readonly earlier: { readonly tree: string; readonly known: KnownFiles } | null
  /** Directories that show through in the source and that nobody changes: the layers below it. */
  readonly below: readonly string[]
  /** Files that processes have in their memory: they can change without a trace. */
  readonly mapped: ReadonlySet<string>
  readonly limits: TreeCopyLimits
}

export interface TreeCopyLimits {
  readonly bytes: number
  readonly depth: number
  /** How often a file is copied that changes meanwhile. */
  readonly attempts: number
  /** A file that changed less than this long ago can change again without another time. */
  readonly tickMs: number
  /** How many names of incomplete files are given. */
  readonly named: number
}

export type TreeCopyResult =
  | {
      readonly kind: "copied"
      /** What was not shared with an earlier copy or a layer. */
      readonly bytes: number
      readonly known: KnownFiles
      /** Files that changed all the time, could not be read or lay too deep. */
      readonly incomplete: readonly string[]
    }
  | { readonly kind: "too-large" }

type Stats = ReturnType<typeof bigStats>

class TooLarge extends Error {}

/**
 * Copies regular files, directories and symbolic links with their modes and times. A file that is as it was for the
 * earlier copy becomes another name of that copy, which nobody writes.
 */
export function copyTree(request: TreeCopyRequest): TreeCopyResult {
  const { target, earlier, below, mapped, limits } = request
  const known: KnownFiles = new Map()
  const incomplete: string[] = []
  /** By the number of a file with several names: its first name in the copy. */
  const linked = new Map<string, string>()
  const isRoot = process.getuid?.() === 0
  let bytes = 0

  const note = (path: string) => {
    if (incomplete.length < limits.named) incomplete.push(shown(path))
  }

  /** What goes away meanwhile is not in the copy; what can't be copied is named. */
  function attempt(path: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (error instanceof TooLarge || isOurs(error)) throw error
      if (errorCode(error) !== "ENOENT") note(path)
    }
  }

  function copyDirectory(from: number, to: number, path: string, depth: number): void {
    for (const name of namesIn(from)) {
      const inside = path === "" ? name : `${path}/${name}`
      attempt(inside, () => {
        const stats = lstatSync(at(from, name), { bigint: true })
        if (stats.isFile()) copyFile({ from, to, name, path: inside }, stats)
        else if (stats.isSymbolicLink()) copyLink({ from, to, name }, stats)
        else if (stats.isDirectory()) {
          if (depth >= limits.depth) return note(inside)
          const child = openSync(at(from, name), directoryFlags)
          try {
            makeDirectory(at(to, name), child, (made) =>
              copyDirectory(child, made, inside, depth + 1),
            )
          } finally {
            closeSync(child)
          }
        }
      })
    }
  }

  /** It gets its owner, mode and time when it is full, for it may be closed for writing. */
  function makeDirectory(path: Buffer, source: number, fill: (made: number) => void): void {
    mkdirSync(path, { mode: 0o700 })
    const made = openSync(path, directoryFlags)
    try {
      fill(made)
      const stats = fstatSync(source, { bigint: true })
      if (isRoot) fchownSync(made, Number(stats.uid), Number(stats.gid))
      fchmodSync(made, Number(stats.mode) & 0o7777)
      futimesSync(made, ...timesOf(stats))
    } finally {
      closeSync(made)
    }
  }

  interface FilePlace {
    readonly from: number
    readonly to: number
    readonly name: string
    readonly path: string
  }

  function copyLink({ from, to, name }: Omit<FilePlace, "path">, stats: Stats): void {
    const leadsTo = readlinkSync(at(from, name), { encoding: "buffer" })
    const path = at(to, name)
    symlinkSync(leadsTo, path)
    if (isRoot) lchownSync(path, Number(stats.uid), Number(stats.gid))
    lutimesSync(path, ...timesOf(stats))
  }

  function copyFile(place: FilePlace, stats: Stats): void {
    const inode = String(stats.ino)
    const first = stats.nlink > 1n ? linked.get(inode) : undefined
    if (first !== undefined && tryLink(join(target, first), place)) return
    if (!shareFile(place, stats)) copyContent(place)
    if (stats.nlink > 1n) linked.set(inode, place.path)
  }

  /** Gives a copy of this very file another name, where there is one. */
  function shareFile(place: FilePlace, stats: Stats): boolean {
    const inode = String(stats.ino)
    const before = earlier?.known.get(inode)
    if (earlier && before?.state === stateOf(stats)) {
      if (!tryLink(join(earlier.tree, before.path), place)) return false
      known.set(inode, { state: before.state, path: place.path })
      return true
    }
    return below.some((layer) => {
      const path = join(layer, place.path)
      const there = lstatSync(latin(path), { bigint: true, throwIfNoEntry: false })
      const isSame = there?.isFile() && there.ino === stats.ino && stateOf(there) === stateOf(stats)
      return isSame === true && tryLink(path, place)
    })
  }

  /** False where the file system has too many names for it, or it is gone. */
  function tryLink(existing: string, { to, name }: FilePlace): boolean {
    try {
      linkSync(latin(existing), at(to, name))
      return true
    } catch {
      return false
    }
  }

  function copyContent(place: FilePlace): void {
    // A pipe that was put in its place must not be waited for.
    const file = openSync(at(place.from, place.name), fileFlags)
    try {
      let left = limits.attempts
      while (!copyWhole(file, place) && left > 1) {
        rmSync(at(place.to, place.name), { force: true })
        left -= 1
      }
      if (left === 1) note(place.path)
    } finally {
      closeSync(file)
    }
  }

  /** False when it has changed meanwhile. */
  function copyWhole(file: number, place: FilePlace): boolean {
    const before = bigStats(file)
    if (!before.isFile()) return false
    takeRoom(Number(before.blocks) * blockBytes)
    copyOnce(file, before, place)
    const after = bigStats(file)
    if (stateOf(before) !== stateOf(after)) return false
    if (isSettled(after)) {
      known.set(String(after.ino), { state: stateOf(after), path: place.path })
    }
    return true
  }

  function copyOnce(file: number, stats: Stats, { to, name }: Pick<FilePlace, "to" | "name">) {
    const path = at(to, name)
    if (copySparse(file, stats, path) === "not-sparse") {
      copyFileSync(`/proc/self/fd/${file}`, path, constants.COPYFILE_FICLONE)
    }
    const made = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      if (isRoot) fchownSync(made, Number(stats.uid), Number(stats.gid))
      fchmodSync(made, Number(stats.mode) & 0o7777)
      futimesSync(made, ...timesOf(stats))
    } finally {
      closeSync(made)
    }
  }

  function takeRoom(more: number): void {
    bytes += more
    if (bytes > limits.bytes) throw new TooLarge()
  }

  /** Whether a later change can't leave it with the same times. */
  function isSettled({ ino, ctimeMs }: Stats): boolean {
    return Date.now() - Number(ctimeMs) > limits.tickMs && !mapped.has(String(ino))
  }

  try {
    makeDirectory(latin(target), request.source, (made) =>
      copyDirectory(request.source, made, "", 0),
    )
    return { kind: "copied", bytes, known, incomplete }
  } catch (error) {
    if (error instanceof TooLarge) return { kind: "too-large" }
    throw error
  }
}

const blockBytes = 512
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Names are bytes, each as one character, since not all of them are text. */
function latin(path: string): Buffer {
  return Buffer.from(path, "latin1")
}

function shown(path: string): string {
  return latin(path).toString("utf8")
}

/** A name in an open directory, wherever that has been moved to. */
function at(directory: number, name: string): Buffer {
  return latin(`/proc/self/fd/${directory}/${name}`)
}

function namesIn(directory: number): readonly string[] {
  return readdirSync(`/proc/self/fd/${directory}`, { encoding: "latin1" })
}

function bigStats(file: number) {
  return fstatSync(file, { bigint: true })
}

function stateOf({ size, mtimeNs, ctimeNs }: Stats): string {
  return `${size} ${mtimeNs} ${ctimeNs}`
}

function timesOf({ atimeNs, mtimeNs }: Stats): [number, number] {
  return [Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9]
}

/** What this machine lacks, and not the file: the copy as a whole fails. */
function isOurs(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EROFS"].includes(errorCode(error) ?? "")
}
