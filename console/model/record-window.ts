import { cardId, type Entry } from "./card.ts"

interface Held {
  /** Where it stands among the others: the number of the entry that brought it. */
  readonly position: number
  readonly entries: readonly Entry[]
}

/** What a page of entries changed. */
export interface WindowChange {
  /** Cards that are new or have more entries. */
  readonly changed: ReadonlySet<string>
  readonly dropped: readonly string[]
}

/**
 * A part of a session's record, as cards in order. It grows at both ends and is bounded: what is far from where it grew
 * is dropped, and read again when the reader comes back.
 */
export class RecordWindow {
  readonly #most: number
  readonly #held = new Map<string, Held>()
  /** Entries whose card begins before the window. */
  readonly #orphans = new Map<string, readonly Entry[]>()
  #ids: readonly string[] = []
  #count = 0
  #first = Number.POSITIVE_INFINITY
  #last = 0
  #isAtEnd = false

  /** At most this many entries, or one page. */
  constructor(most: number) {
    this.#most = most
  }

  get ids(): readonly string[] {
    return this.#ids
  }
  /** The number of the first entry that was read; 1 where the record begins. */
  get first(): number {
    return this.#first
  }
  get last(): number {
    return this.#last
  }
  /** Whether the newest entries are in it, so that new ones follow. */
  get isAtEnd(): boolean {
    return this.#isAtEnd
  }
  entriesOf(id: string): readonly Entry[] {
    return this.#held.get(id)?.entries ?? []
  }

  clear(): readonly string[] {
    const dropped = this.#ids
    this.#held.clear()
    this.#orphans.clear()
    this.#ids = []
    this.#count = 0
    this.#first = Number.POSITIVE_INFINITY
    this.#last = 0
    this.#isAtEnd = false
    return dropped
  }

  /** A page from before the first entry, in order. */
  prepend(entries: readonly Entry[]): WindowChange {
    const added: string[] = []
    const changed = new Set<string>()
    for (const entry of entries) this.#take(entry, { added, changed, isLive: false })
    this.#ids = [...added, ...this.#ids]
    this.#first = entries[0]?.sequence ?? 1
    this.#last = Math.max(this.#last, entries.at(-1)?.sequence ?? 0)
    return { changed, dropped: this.#dropLast() }
  }

  /** A page from after the last entry, in order; `isAtEnd` when there is no newer one. */
  append(entries: readonly Entry[], isAtEnd: boolean): WindowChange {
    this.#isAtEnd = isAtEnd
    return this.#add(entries, false)
  }

  /** New entries. Away from the end, only the cards that are there get them. */
  follow(entries: readonly Entry[]): WindowChange {
    const wanted = entries.filter(
      (entry) => (this.#isAtEnd && entry.sequence > this.#last) || this.#isHeld(entry),
    )
    return this.#add(wanted, true)
  }

  /** A call that runs and has no entry yet. */
  addRunning(id: string): void {
    if (this.#held.has(id)) return
    this.#held.set(id, { position: Number.POSITIVE_INFINITY, entries: [] })
    this.#ids = [...this.#ids, id]
  }

  #add(entries: readonly Entry[], isLive: boolean): WindowChange {
    const added: string[] = []
    const changed = new Set<string>()
    for (const entry of entries) this.#take(entry, { added, changed, isLive })
    if (added.length > 0) this.#ids = [...this.#ids, ...added]
    this.#first = Math.min(this.#first, entries[0]?.sequence ?? this.#first)
    if (this.#isAtEnd || !isLive) {
      this.#last = Math.max(this.#last, entries.at(-1)?.sequence ?? 0)
    }
    return { changed, dropped: this.#dropFirst() }
  }

  #isHeld(entry: Entry): boolean {
    return this.#held.has(cardId(entry) ?? "")
  }

  #take(
    entry: Entry,
    to: { readonly added: string[]; readonly changed: Set<string>; readonly isLive: boolean },
  ): void {
    const id = cardId(entry)
    if (id === null) return
    const held = this.#held.get(id)
    const begins = entry.kind === "call" || id === `entry:${entry.sequence}`
    if (!held && !begins && !to.isLive) {
      this.#orphans.set(id, inOrder(this.#orphans.get(id) ?? [], entry))
      return
    }
    const known = held?.entries ?? this.#orphans.get(id) ?? []
    const entries = inOrder(known, entry)
    if (held && entries === held.entries) return
    this.#orphans.delete(id)
    this.#held.set(id, { position: held?.position ?? entry.sequence, entries })
    this.#count += entries.length - (held?.entries.length ?? 0)
    to.changed.add(id)
    if (!held) to.added.push(id)
  }

  /** Drops from the end until few enough are left. */
  #dropLast(): readonly string[] {
    const dropped: string[] = []
    while (this.#count > this.#most && this.#ids.length > dropped.length + 1) {
      const id = this.#ids[this.#ids.length - 1 - dropped.length] ?? ""
      const { position } = this.#remove(id)
      if (position <= this.#last) this.#last = position - 1
      dropped.push(id)
    }
    if (dropped.length === 0) return dropped
    this.#ids = this.#ids.slice(0, -dropped.length)
    this.#isAtEnd = false
    this.#keepOrphans(({ sequence }) => sequence <= this.#last)
    return dropped
  }

  #dropFirst(): readonly string[] {
    const removed: Held[] = []
    while (this.#count > this.#most && this.#ids.length > removed.length + 1) {
      removed.push(this.#remove(this.#ids[removed.length] ?? ""))
    }
    if (removed.length === 0) return []
    const dropped = this.#ids.slice(0, removed.length)
    this.#ids = this.#ids.slice(removed.length)
    const position = this.#held.get(this.#ids[0] ?? "")?.position ?? Number.POSITIVE_INFINITY
    this.#first = Math.min(position, this.#last + 1)
    // Their beginning is read again with an earlier page; these later entries are not.
    for (const [index, { entries }] of removed.entries()) {
      this.#orphans.set(dropped[index] ?? "", entries)
    }
    this.#keepOrphans(({ sequence }) => sequence >= this.#first)
    return dropped
  }

  #remove(id: string): Held {
    const held = this.#held.get(id) ?? { position: Number.POSITIVE_INFINITY, entries: [] }
    this.#held.delete(id)
    this.#count -= held.entries.length
    return held
  }

  #keepOrphans(isKept: (entry: Entry) => boolean): void {
    for (const [id, entries] of this.#orphans) {
      const kept = entries.filter(isKept)
      if (kept.length === 0) this.#orphans.delete(id)
      else this.#orphans.set(id, kept)
    }
  }
}

/** With one more, by their numbers; the same list when it is there already. */
function inOrder(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex(({ sequence }) => sequence >= entry.sequence)
  if (at === -1) return [...entries, entry]
  return entries[at]?.sequence === entry.sequence ? entries : entries.toSpliced(at, 0, entry)
}
