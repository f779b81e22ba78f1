import { type FSWatcher, watch } from "node:fs"
import type { FileType } from "../../contract/index.ts"
import { effectsLimits } from "../limits.ts"
import type { InsideDirectory } from "./inside-directory.ts"

/** What is known of a name in a directory. */
export interface KnownEntry {
  readonly type: FileType
  /** As far as it was looked at: the size, and the time of the last change. */
  readonly bytes: number | null
  readonly changedMs: number | null
}

/** Directories that are watched in this process, by all sandboxes. */
let watchedInAll = 0

/** One directory of a home, with what is in it, and the names about which the kernel has said something since. */
export class WatchedDirectory {
  readonly names: readonly string[]
  readonly inode: number
  readonly entries = new Map<string, KnownEntry>()
  readonly children = new Map<string, WatchedDirectory>()
  /** Names whose entries may have changed. */
  readonly touched = new Set<string>()
  /** So many that all names have to be looked at. */
  isAllTouched = false
  /** It was removed or moved; another one may have its name, and even its number. */
  isLost = false
  isClosed = false
  readonly #onEvent: (directory: WatchedDirectory) => void
  #watcher: FSWatcher | null = null
  #events = 0

  constructor(
    names: readonly string[],
    inode: number,
    onEvent: (directory: WatchedDirectory) => void,
  ) {
    this.names = names
    this.inode = inode
    this.#onEvent = onEvent
  }

  /** Set off by a program that changes one file all the time: the kernel may have lost events of others. */
  get isStormy(): boolean {
    return this.#events > effectsLimits.directoryEvents
  }

  /** Throws where this process may not watch so many. */
  watch(open: InsideDirectory): void {
    this.#events = 0
    if (this.#watcher) return
    if (watchedInAll >= effectsLimits.watchedInAll) throw new TooManyWatched()
    const options = { encoding: "latin1", persistent: false } as const
    this.#watcher = watch(open.watchPath, options, (event, name) => this.#hear(event, name))
    this.#watcher.on("error", () => this.#hear("rename", "."))
    watchedInAll += 1
  }

  /** With all that are in it. */
  close(): void {
    // A list instead of recursion: a tree can be deeper than the call stack.
    const open: WatchedDirectory[] = [this]
    for (let next = open.pop(); next; next = open.pop()) {
      next.isClosed = true
      next.#unwatch()
      open.push(...next.children.values())
    }
  }

  #hear(event: string, name: string | null): void {
    this.#events += 1
    if (name === ".") this.isLost ||= event === "rename"
    else if (name === null || this.touched.size >= effectsLimits.touchedNames)
      this.isAllTouched = true
    else this.touched.add(name)
    if (this.isStormy) this.#unwatch()
    this.#onEvent(this)
  }

  #unwatch(): void {
    if (!this.#watcher) return
    this.#watcher.close()
    this.#watcher = null
    watchedInAll -= 1
  }
}

export function pathOf({ names }: WatchedDirectory, name: string): string {
  return [...names, name].join("/")
}

export class TooManyWatched extends Error {
  override readonly message = "this process watches too many directories"
}
