import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  type Stats,
} from "node:fs"
import type { FileType } from "../../contract/index.ts"
import { errorCode } from "../../kit/index.ts"

/** One character for each byte: names of files need not be text. */
const bytesOf = (name: string) => Buffer.from(name, "latin1")

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A directory that is open: whatever takes its place or a place above it meanwhile, this one is looked at. */
export class InsideDirectory {
  readonly #descriptor: number

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  static openRoot(path: string): InsideDirectory {
    return new InsideDirectory(openSync(path, flags))
  }

  /** The directory of this name in this one; null where there is none. A link is not followed. */
  openChild(name: string): InsideDirectory | null {
    try {
      return new InsideDirectory(openSync(this.#pathOf(name), flags))
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }

  /** The same for several names, one in the other. */
  openBelow(names: readonly string[]): InsideDirectory | null {
    let at: InsideDirectory = this
    for (const name of names) {
      const next = at.openChild(name)
      if (at !== this) at.close()
      if (next === null) return null
      at = next
    }
    return at
  }

  get stats(): Stats {
    return fstatSync(this.#descriptor)
  }

  /** Leads to it while it is open. Events about itself have the name ".", which no file has. */
  get watchPath(): string {
    return `/proc/self/fd/${this.#descriptor}/.`
  }

  /** One after the other, so that who has seen enough of a large directory can stop. */
  *list(): Iterable<{ readonly name: string; readonly type: FileType }> {
    const listing = opendirSync(this.watchPath, { encoding: "latin1", bufferSize: 1_024 })
    try {
      for (let entry = listing.readSync(); entry; entry = listing.readSync()) {
        yield { name: entry.name, type: typeOf(entry) }
      }
    } finally {
      listing.closeSync()
    }
  }

  /** What a name leads to; null for nothing. */
  look(name: string): Stats | null {
    try {
      return lstatSync(this.#pathOf(name))
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }

  /** The beginning of a file; null where the name leads to none. Nothing is waited for, as the other side of a pipe. */
  readFile(
    name: string,
    mostBytes: number,
  ): { readonly bytes: Buffer; readonly mode: number } | null {
    const descriptor = this.#openFile(name)
    if (descriptor === null) return null
    try {
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) return null
      const bytes = Buffer.allocUnsafe(Math.min(mostBytes, stats.size + 1))
      let length = 0
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(descriptor, bytes, length, bytes.length - length, null)
      }
      return { bytes: bytes.subarray(0, length), mode: stats.mode }
    } finally {
      closeSync(descriptor)
    }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #openFile(name: string): number | null {
    try {
      return openSync(this.#pathOf(name), fileFlags)
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }

  #pathOf(name: string): Buffer {
    return Buffer.concat([Buffer.from(`/proc/self/fd/${this.#descriptor}/`), bytesOf(name)])
  }
}

type Kinds = Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">

export function typeOf(entry: Kinds): FileType {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  return entry.isSymbolicLink() ? "symlink" : "other"
}

/** Also a name that has become a link, or is in what is not a directory any more. */
function isGone(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP"].includes(errorCode(error) ?? "")
}
