import type { Stats } from "node:fs"
import type { ChangedFile } from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import { effectsLimits } from "../limits.ts"
import { type FoundText, notRead, outOfTime, textFrom, tooLong } from "./file-text.ts"
import type { InsideDirectory } from "./inside-directory.ts"
import { KnownTexts } from "./known-texts.ts"
import { pathOf, type WatchedDirectory } from "./watched-directory.ts"

type Texts = Pick<ChangedFile, "before" | "after">

/** A name that was looked at, in the directory that it is in. */
export interface SeenFile {
  readonly path: string
  readonly name: string
  readonly inside: InsideDirectory
  readonly stats: Stats
}

/**
 * Reads the texts of a home's files when they change, so that what was in a file before its next change is known.
 * Those that were there before anybody looked are read once, the topmost first.
 */
export class HomeTexts {
  readonly #known = new KnownTexts()
  #first: { readonly directory: WatchedDirectory; readonly names: string[] }[] = []
  #spentMs = 0
  #mostMs = 0

  /** From now on it may read for this long. */
  begin(mostMs: number): void {
    this.#spentMs = 0
    this.#mostMs = mostMs
  }

  /** How long it has read since. */
  get spentMs(): number {
    return this.#spentMs
  }

  get isWaiting(): boolean {
    return this.#first.length > 0
  }

  created(file: SeenFile): Texts {
    if (!file.stats.isFile()) return {}
    return { after: this.#read(file) }
  }

  changed(file: SeenFile): Texts {
    if (!file.stats.isFile()) return {}
    const before = this.#known.take(file.path) ?? notRead
    // A write under one name of a file is no event of its other names.
    return { before: file.stats.nlink > 1 ? linked : before, after: this.#read(file) }
  }

  removed(path: string): Texts {
    return { before: this.#known.take(path) ?? notRead }
  }

  /** The files of a home that is new here wait to be read. */
  expect(root: WatchedDirectory): void {
    const all = [root]
    let room: number = effectsLimits.firstFiles
    for (const directory of all) {
      const files = [...directory.entries].filter(([, { type }]) => type === "file")
      const names = files.slice(0, room).map(([name]) => name)
      if (names.length > 0) this.#first.push({ directory, names })
      room -= names.length
      if (room <= 0) return
      all.push(...directory.children.values())
    }
  }

  /** Reads what waits, as far as the time goes. Nothing may be changing the files of a call meanwhile. */
  readExpected(root: InsideDirectory): void {
    for (let next = this.#first[0]; next && !this.#isOutOfTime; next = this.#first[0]) {
      const { directory, names } = next
      const inside = this.#timed(() =>
        directory.isClosed ? null : root.openBelow(directory.names),
      )
      try {
        // One name at least, so that the next look goes on from here.
        while (inside && names.length > 0) {
          this.#readExpected(directory, inside, names.pop() ?? "")
          if (this.#isOutOfTime) break
        }
      } finally {
        if (inside && inside !== root) inside.close()
      }
      if (!inside || names.length === 0) this.#first.shift()
    }
  }

  forget(): void {
    this.#known.clear()
    this.#first = []
  }

  #readExpected(directory: WatchedDirectory, inside: InsideDirectory, name: string): void {
    const path = pathOf(directory, name)
    const stats = this.#known.has(path) ? null : inside.look(name)
    if (stats?.isFile()) this.#read({ path, name, inside, stats })
  }

  #read({ path, name, inside, stats }: SeenFile): FoundText {
    if (this.#isOutOfTime) return outOfTime
    return this.#timed(() => {
      const found = stats.nlink > 1 ? linked : readText({ path, name, inside, stats })
      this.#known.set(path, found)
      return found
    })
  }

  get #isOutOfTime(): boolean {
    return this.#spentMs > this.#mostMs
  }

  /** Also the way to a file counts: below a thousand directories it takes longer than the file. */
  #timed<T>(work: () => T): T {
    const startedMs = processorMs()
    try {
      return work()
    } finally {
      this.#spentMs += processorMs() - startedMs
    }
  }
}

/** Of this process: a busy machine reads as much. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const linked: FoundText = { unknown: "the file has other names, under which it can change unseen" }

function readText({ path, name, inside, stats }: SeenFile): FoundText {
  if (stats.size > effectsLimits.fileBytes) return tooLong
  try {
    const read = inside.readFile(name, effectsLimits.fileBytes + 1)
    if (read === null) return { unknown: "it was gone, or another file, when it was read" }
    return textFrom(read.bytes, path, read.mode)
  } catch (error) {
    return { unknown: `it can't be read: ${errorText(error)}` }
  }
}
