import { constants, link, lutimes, mkdir, open, symlink, unlink } from "node:fs/promises"
import type { ArchiveEntry, EntryFacts } from "../../../trees/read-archive.ts"
import { errnoOf } from "../file-error.ts"
import { entryIn, type FileScope, type Held, hold } from "../files/hold.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
/** A program of the archive runs as the user who starts it, never as the user who unpacked it. */
const fileBits = 0o1777

/** A directory with what the archive says about it, which is applied when nothing is put in any more. */
export interface UnpackedDirectory extends EntryFacts {
  readonly name: string
}

type LinkEntry = Extract<ArchiveEntry, { kind: "symlink" }>

/**
 * Unpacks into a directory that nobody else uses. Symbolic links come last, so that none is there that
 * a name could lead through, however the file system compares names.
 */
export class Unpacking implements AsyncDisposable {
  readonly directories: UnpackedDirectory[] = []
  readonly #top: Held
  readonly #scope: FileScope
  readonly #path: string
  readonly #links = new Map<string, LinkEntry>()
  /** Files come in the order of their directories. */
  #last: { readonly name: string; readonly held: Held } | null = null

  constructor(top: Held, scope: FileScope, path: string) {
    this.#top = top
    this.#scope = scope
    this.#path = path
  }

  async add(entry: ArchiveEntry): Promise<void> {
    this.#links.delete(entry.name)
    switch (entry.kind) {
      case "directory":
        await this.#directory(entry.name)
        this.directories.push(entry)
        return
      case "symlink":
        this.#links.set(entry.name, entry)
        return
      case "link":
        return this.#addName(entry)
      case "file":
        return this.#addFile(entry)
      default:
        return entry satisfies never
    }
  }

  async addLinks(): Promise<void> {
    for (const { name, target, modifiedMs } of this.#links.values()) {
      const at = await this.#free(name)
      await symlink(target, at)
      await lutimes(at, modifiedMs / 1000, modifiedMs / 1000)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last?.held[Symbol.asyncDispose]()
    this.#last = null
  }

  async #addFile(entry: Extract<ArchiveEntry, { kind: "file" }>): Promise<void> {
    const at = await this.#free(entry.name)
    await using file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    for await (const bytes of entry.body) {
      this.#scope.signal.throwIfAborted()
      await file.writeFile(bytes)
    }
    await file.chmod(entry.mode & fileBits)
    await file.utimes(entry.modifiedMs / 1000, entry.modifiedMs / 1000)
  }

  async #addName({ name, target }: Extract<ArchiveEntry, { kind: "link" }>): Promise<void> {
    const same = this.#links.get(target)
    if (same) {
      this.#links.set(name, { ...same, name })
      return
    }
    if (name === target) return
    const { parent, own } = split(target)
    const directory = await this.#walk(parent)
    try {
      await link(entryIn(directory, own), await this.#free(name))
    } finally {
      if (directory !== this.#top) await directory[Symbol.asyncDispose]()
    }
  }

  /** Where an entry goes; an earlier one of that name is replaced. */
  async #free(name: string): Promise<Buffer> {
    const { parent, own } = split(name)
    const at = entryIn(await this.#directory(parent), own)
    await unlink(at).catch((error: unknown) => {
      if (errnoOf(error) !== "ENOENT") throw error
    })
    return at
  }

  /** Held until another one is asked for. */
  async #directory(name: string): Promise<Held> {
    if (name === "") return this.#top
    if (this.#last?.name !== name) {
      const held = await this.#walk(name)
      await this[Symbol.asyncDispose]()
      this.#last = { name, held }
    }
    return this.#last.held
  }

  async #walk(name: string): Promise<Held> {
    let at = this.#top
    for (const part of name.split("/").filter((one) => one !== "")) {
      const next = await this.#enter(entryIn(at, part))
      if (at !== this.#top) await at[Symbol.asyncDispose]()
      at = next
    }
    return at
  }

  async #enter(at: Buffer): Promise<Held> {
    await mkdir(at).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error
    })
    const held = await hold(at, this.#scope.root, this.#path)
    if (held.stats.isDirectory()) return held
    // A file that came before under this name.
    await held[Symbol.asyncDispose]()
    await unlink(at)
    return this.#enter(at)
  }
}

function split(name: string): { readonly parent: string; readonly own: string } {
  const at = name.lastIndexOf("/")
  return { parent: name.slice(0, Math.max(0, at)), own: name.slice(at + 1) }
}
