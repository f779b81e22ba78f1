import type { Stats } from "node:fs"
import type { FileEffects, Unknown } from "../../contract/index.ts"
import { groupDigits } from "../../kit/index.ts"
import { effectsLimits } from "../limits.ts"
import { FileChanges, type FoundChange } from "./file-changes.ts"
import { HomeTexts } from "./home-texts.ts"
import { InsideDirectory, typeOf } from "./inside-directory.ts"
import { CantLook, createBudget, explain, tooMany, tooMuch } from "./look-budget.ts"
import { type KnownEntry, pathOf, WatchedDirectory } from "./watched-directory.ts"

/** What changes below a directory from one moment to another. */
export interface FileSpan {
  end(durationMs: number): Promise<FileEffects | Unknown>
}

export interface HomeWatchOptions {
  /** The directory on this machine. */
  readonly directory: () => string
  /** What it is called where the changes are shown. */
  readonly shownAs: string
  /** A name in it that is Toolkeep's own. */
  readonly leftOut?: string
}

interface OpenSpan {
  readonly changes: FileChanges
  /** Why nothing can be said. */
  unknown: string | null
  incomplete: string | null
}

/** Coarse clocks of file systems are this much behind. */
const clockLagMs = 20

/**
 * Watches a directory with all that is in it. The kernel says what has changed, so that a call that changes nothing
 * costs nothing, however many files there are. All names are read once; where that takes long, over several calls.
 */
export class HomeWatch {
  readonly #options: HomeWatchOptions
  readonly #spans = new Set<OpenSpan>()
  #directory = ""
  #root: WatchedDirectory | null = null
  /** Directories whose names were not read yet. */
  #unread: WatchedDirectory[] = []
  readonly #touched = new Set<WatchedDirectory>()
  readonly #texts = new HomeTexts()
  #entries = 0
  #directories = 0
  #events = 0
  #lookedMs = 0
  /** Why it can't be watched, and until when that is not tried again. */
  #given: { readonly up: string; readonly untilMs: number } | null = null

  constructor(options: HomeWatchOptions) {
    this.#options = options
  }

  async begin(): Promise<FileSpan> {
    await eventsRead()
    this.#look({ changes: null, budgetMs: effectsLimits.lookMs })
    const span: OpenSpan = { changes: new FileChanges(), unknown: this.#blind(), incomplete: null }
    this.#spans.add(span)
    return {
      end: async (durationMs) => {
        await eventsRead()
        // A long call may be followed by a longer look.
        const budgetMs = Math.max(effectsLimits.lookMs, durationMs * effectsLimits.lookShare)
        if (span.unknown === null) this.#look({ changes: this.#tell, budgetMs })
        this.#spans.delete(span)
        if (span.unknown !== null) return { unknown: span.unknown }
        return span.changes.summary(this.#options.shownAs, span.incomplete)
      },
    }
  }

  close(): void {
    this.#forget()
    for (const span of this.#spans) span.unknown ??= "the sandbox was put to sleep meanwhile"
  }

  readonly #tell = (change: FoundChange): void => {
    for (const span of this.#spans) span.changes.add(change)
  }

  /** Why a span that begins now can't say anything. */
  #blind(): string | null {
    if (this.#given) return this.#given.up
    if (this.#unread.length === 0) return null
    return `the files were still being read: ${groupDigits(this.#entries)} so far`
  }

  /** Brings what is known up to date, as far as the budget goes. */
  #look({ changes, budgetMs }: Look): void {
    if (this.#given && performance.now() < this.#given.untilMs) return
    this.#given = null
    const directory = this.#options.directory()
    const isNew = directory !== this.#directory || !this.#root || this.#unread.length > 0
    // While a call goes on, what waits to be read may not be as it was before that call.
    const canRead = this.#texts.isWaiting && this.#spans.size === 0
    if (!isNew && this.#touched.size === 0 && !canRead) return
    this.#directory = directory
    this.#texts.begin(Math.max(effectsLimits.readMs, budgetMs - effectsLimits.lookMs))
    // Other calls wait for what is found at the beginning of this one.
    const work: Work = {
      tell: changes ?? (this.#spans.size > 0 ? this.#tell : () => {}),
      isLate: createBudget(budgetMs, this.#texts),
    }
    try {
      const open = InsideDirectory.openRoot(directory)
      try {
        this.#lookInto(open, work)
      } finally {
        open.close()
      }
    } catch (error) {
      this.#giveUp(error)
    }
  }

  #lookInto(open: InsideDirectory, work: Work): void {
    const { ino } = open.stats
    if (this.#root && (this.#root.isLost || this.#root.inode !== ino)) {
      throw new CantLook("the directory was replaced by another")
    }
    if (!this.#root) this.#unread.push(this.#add([], open))
    const isReading = this.#unread.length > 0
    this.#readNames(open, work)
    if (this.#unread.length > 0) return
    if (isReading && this.#root) this.#texts.expect(this.#root)
    this.#lookAtTouched(open, work)
    if (this.#spans.size === 0) this.#texts.readExpected(open)
  }

  /** Names of directories that were there before anybody looked: no call has changed them. */
  #readNames(root: InsideDirectory, work: Work): void {
    while (this.#unread.length > 0 && !work.isLate()) {
      const next = this.#unread.pop()
      if (next) this.#unread.push(...this.#read(next, root, () => {}))
    }
  }

  /** Reads the names in a directory that is new here; returns the directories in it. */
  #read(
    directory: WatchedDirectory,
    root: InsideDirectory,
    tell: (change: FoundChange, inside: InsideDirectory, name: string) => void,
  ): readonly WatchedDirectory[] {
    const open = root.openBelow(directory.names)
    // The one above says that it is gone.
    if (open === null) return []
    try {
      if (open.stats.ino !== directory.inode) return []
      directory.watch(open)
      const found: WatchedDirectory[] = []
      for (const { name, type } of open.list()) {
        if (this.#isLeftOut(directory, name)) continue
        this.#count(1)
        directory.entries.set(name, { type, bytes: null, changedMs: null })
        tell({ kind: "created", path: pathOf(directory, name), type, bytes: null }, open, name)
        const child = type === "directory" ? this.#addChild(directory, name, open) : null
        if (child) found.push(child)
      }
      return found
    } finally {
      if (open !== root) open.close()
    }
  }

  #addChild(
    parent: WatchedDirectory,
    name: string,
    open: InsideDirectory,
  ): WatchedDirectory | null {
    const inside = open.openChild(name)
    if (inside === null) return null
    try {
      const child = this.#add([...parent.names, name], inside)
      parent.children.set(name, child)
      return child
    } finally {
      inside.close()
    }
  }

  #add(names: readonly string[], open: InsideDirectory): WatchedDirectory {
    if (this.#directories >= effectsLimits.directories) {
      const most = groupDigits(effectsLimits.directories)
      throw new CantLook(`there are more than ${most} directories`, effectsLimits.retryMs)
    }
    this.#directories += 1
    const made = new WatchedDirectory(names, open.stats.ino, (directory) => {
      this.#events += 1
      this.#touched.add(directory)
    })
    if (names.length === 0) this.#root = made
    return made
  }

  #lookAtTouched(root: InsideDirectory, work: Work): void {
    const mayHaveLost =
      this.#events > effectsLimits.events || [...this.#touched].some(({ isStormy }) => isStormy)
    if (mayHaveLost) this.#touchAll()
    this.#events = 0
    const sinceMs = this.#lookedMs - clockLagMs
    this.#lookedMs = Date.now()
    // Those above first: what is in a directory that is gone needs no look.
    const waiting = [...this.#touched].sort((one, other) => one.names.length - other.names.length)
    this.#touched.clear()
    for (const directory of waiting) {
      // Also where nothing is in it: the way there takes time.
      if (work.isLate()) throw tooMuch()
      this.#lookAt(directory, root, { ...work, sinceMs })
    }
  }

  #touchAll(): void {
    const all = this.#root ? [this.#root] : []
    for (const directory of all) {
      directory.isAllTouched = true
      this.#touched.add(directory)
      all.push(...directory.children.values())
    }
  }

  #lookAt(directory: WatchedDirectory, root: InsideDirectory, work: TouchedWork): void {
    const { touched, isAllTouched, entries } = directory
    if (directory.isClosed) return
    const open = root.openBelow(directory.names)
    if (open === null) return
    try {
      if (open.stats.ino !== directory.inode) return
      // Watched again before it is looked at: nothing is missed between the two.
      directory.watch(open)
      directory.isAllTouched = false
      const names = isAllTouched
        ? new Set([...entries.keys(), ...this.#namesIn(open)])
        : new Set(touched)
      touched.clear()
      for (const name of names) {
        if (work.isLate()) throw tooMuch()
        if (this.#isLeftOut(directory, name)) continue
        this.#compare(directory, { name, open, root, work, isTouched: !isAllTouched })
      }
    } finally {
      if (open !== root) open.close()
    }
  }

  *#namesIn(open: InsideDirectory): Iterable<string> {
    let count = 0
    for (const { name } of open.list()) {
      count += 1
      if (count > effectsLimits.entries) throw tooMany()
      yield name
    }
  }

  /** What is there now against what was. */
  #compare(directory: WatchedDirectory, looked: Looked): void {
    const { name, open, work } = looked
    const before = directory.entries.get(name)
    const stats = open.look(name)
    if (!before && !stats) return
    const path = pathOf(directory, name)
    if (before && stats && isSame(before, stats, directory.children.get(name))) {
      if (before.type === "directory") return
      const isChanged = looked.isTouched || hasChanged(before, stats, work.sinceMs)
      directory.entries.set(name, known(stats))
      if (!isChanged) return
      const texts = this.#texts.changed({ path, name, inside: open, stats })
      work.tell({ kind: "changed", path, type: before.type, bytes: stats.size, ...texts })
      return
    }
    if (before) this.#remove(directory, name, before, work)
    if (stats) this.#create(directory, stats, looked)
  }

  #remove(directory: WatchedDirectory, name: string, before: KnownEntry, work: Work): void {
    const gone = directory.children.get(name)
    this.#tellRemoved(directory, name, { before, work })
    directory.entries.delete(name)
    directory.children.delete(name)
    this.#count(-1)
    gone?.close()
    const all = gone ? [gone] : []
    for (const one of all) {
      this.#directories -= 1
      this.#touched.delete(one)
      this.#count(-one.entries.size)
      for (const [inside, entry] of one.entries) {
        this.#tellRemoved(one, inside, { before: entry, work })
      }
      all.push(...one.children.values())
    }
  }

  #tellRemoved(
    directory: WatchedDirectory,
    name: string,
    { before: { type, bytes }, work }: { readonly before: KnownEntry; readonly work: Work },
  ): void {
    const path = pathOf(directory, name)
    const texts = type === "file" ? this.#texts.removed(path) : {}
    work.tell({ kind: "removed", path, type, bytes, ...texts })
  }

  #create(directory: WatchedDirectory, stats: Stats, { name, open, root, work }: Looked): void {
    this.#count(1)
    const entry = known(stats)
    directory.entries.set(name, entry)
    const path = pathOf(directory, name)
    const texts = this.#texts.created({ path, name, inside: open, stats })
    work.tell({ kind: "created", path, type: entry.type, bytes: entry.bytes, ...texts })
    if (entry.type !== "directory") return
    const child = this.#addChild(directory, name, open)
    const all = child ? [child] : []
    for (const one of all) {
      if (work.isLate()) throw tooMuch()
      const found = this.#read(one, root, (change, inside, called) => {
        const now = change.type === "file" ? inside.look(called) : null
        if (now) one.entries.set(called, known(now))
        const seen = { path: change.path, name: called, inside }
        const inIt = now ? this.#texts.created({ ...seen, stats: now }) : {}
        work.tell({ ...change, bytes: now?.size ?? null, ...inIt })
      })
      all.push(...found)
    }
  }

  #count(more: number): void {
    this.#entries += more
    if (this.#entries > effectsLimits.entries) throw tooMany()
  }

  #isLeftOut(directory: WatchedDirectory, name: string): boolean {
    return directory.names.length === 0 && name === this.#options.leftOut
  }

  /** Calls that go on keep what was found so far; those after them start again. */
  #giveUp(error: unknown): void {
    const { reason, retryMs } = explain(error)
    for (const span of this.#spans) span.incomplete ??= reason
    this.#forget()
    this.#given = { up: reason, untilMs: performance.now() + retryMs }
  }

  #forget(): void {
    this.#root?.close()
    this.#root = null
    this.#unread = []
    this.#texts.forget()
    this.#touched.clear()
    this.#entries = 0
    this.#directories = 0
    this.#events = 0
  }
}

interface Look {
  readonly changes: ((change: FoundChange) => void) | null
  readonly budgetMs: number
}

interface Work {
  readonly tell: (change: FoundChange) => void
  readonly isLate: () => boolean
}

interface TouchedWork extends Work {
  /** When it was last looked. */
  readonly sinceMs: number
}

interface Looked {
  readonly name: string
  readonly open: InsideDirectory
  readonly root: InsideDirectory
  readonly work: TouchedWork
  /** The kernel has said that this name was changed. */
  readonly isTouched: boolean
}

function known(stats: Stats): KnownEntry {
  return { type: typeOf(stats), bytes: stats.size, changedMs: stats.ctimeMs }
}

function isSame(before: KnownEntry, now: Stats, child: WatchedDirectory | undefined): boolean {
  if (before.type !== typeOf(now)) return false
  if (before.type !== "directory") return true
  return child !== undefined && !child.isLost && child.inode === now.ino
}

/** Where the kernel has not said which names: by the time of the last change. */
function hasChanged({ changedMs }: KnownEntry, { ctimeMs }: Stats, sinceMs: number): boolean {
  return changedMs === null ? ctimeMs >= sinceMs : ctimeMs !== changedMs
}

/** The kernel's events of everything that has happened until now are read in one turn of the event loop. */
async function eventsRead(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}
