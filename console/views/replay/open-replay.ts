import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { type Card, cardFrom, cardId, type Entry } from "../../model/card.ts"
import { RecordWindow } from "../../model/record-window.ts"
import { failureText } from "../../parts/action.tsx"
import { client } from "../../state/client.ts"

/** Entries that are read at once. */
const pageEntries = 256
/** Pages that are kept: whoever goes to and fro reads them once. */
const mostPages = 8

/** A session as it was when one of its entries had just been recorded. */
export interface Replay {
  /** The cards that are loaded, in order: those of the last entries until then. */
  readonly ids: ReadonlySignal<readonly string[]>
  readonly card: (id: string) => ReadonlySignal<Card> | undefined
  readonly state: ReadonlySignal<ReplayState>
  /** Goes to an entry. Of several wishes in a short time, the last one counts. */
  readonly goTo: (sequence: number) => void
  readonly loadEarlier: () => Promise<void>
  readonly close: () => void
}

export type ReplayState =
  | { readonly kind: "loading" }
  | ReplayShown
  | { readonly kind: "failed"; readonly why: string }

export interface ReplayShown {
  readonly kind: "shown"
  readonly entry: Entry
  /** The last entry that the session had when it was read. */
  readonly head: number
  readonly hasEarlier: boolean
}

/** Reads pages of the record around the entry that is shown, however long the session is. */
export function openReplay(session: string): Replay {
  const pages = new Map<number, readonly Entry[]>()
  const cards = new Map<string, Signal<Card>>()
  /** The entries that each card was made of. */
  const made = new Map<string, readonly Entry[]>()
  const ids = signal<readonly string[]>([])
  const state = signal<ReplayState>({ kind: "loading" })
  const closed = new AbortController()
  let window = new RecordWindow(pageEntries * mostPages)
  let head = 0
  let wanted: number | null = null
  let isReading = false

  /** The entries (index * 256, (index + 1) * 256]; an answer has fewer where entries are large. */
  async function readPage(index: number, last: number): Promise<readonly Entry[]> {
    const known = pages.get(index)
    if (known && (known.at(-1)?.sequence ?? 0) >= last) return known
    const entries: Entry[] = []
    const end = (index + 1) * pageEntries
    for (let after = index * pageEntries; after < end; ) {
      const range = { session, after, limit: end - after }
      const answer = await client().request("entries.list", range, closed)
      head = Math.max(head, answer.head)
      const newest = answer.entries.at(-1)
      if (!newest) break
      entries.push(...answer.entries)
      after = newest.sequence
    }
    pages.delete(index)
    pages.set(index, entries)
    const [oldest] = pages.keys()
    if (pages.size > mostPages && oldest !== undefined) pages.delete(oldest)
    return entries
  }

  /** Draws again only the cards that have other entries than before. */
  function show(entry: Entry): void {
    batch(() => {
      for (const id of window.ids) {
        const entries = window.entriesOf(id)
        if (isSame(made.get(id), entries)) continue
        made.set(id, entries)
        const known = cards.get(id)
        if (known) known.value = cardFrom(id, entries)
        else cards.set(id, signal(cardFrom(id, entries)))
      }
      ids.value = window.ids
      const left = new Set(window.ids)
      for (const id of cards.keys()) {
        if (left.has(id)) continue
        cards.delete(id)
        made.delete(id)
      }
      state.value = { kind: "shown", entry, head, hasEarlier: window.first > 1 }
    })
  }

  async function readAt(sequence: number): Promise<void> {
    const index = Math.floor((sequence - 1) / pageEntries)
    const own = await readPage(index, sequence)
    const before = index === 0 ? [] : await readPage(index - 1, index * pageEntries)
    const until = [...before, ...own].filter((one) => one.sequence <= sequence)
    const entry = until.at(-1)
    if (!entry) throw new Error(`The session has no entry ${sequence}.`)
    window = new RecordWindow(pageEntries * mostPages)
    window.append(until.slice(0, -1), true)
    // As one that has just come: its card is shown also where that began long before.
    window.follow([entry])
    show(entry)
  }
  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      while (wanted !== null && !closed.signal.aborted) {
        const sequence = wanted
        wanted = null
        await readAt(sequence)
      }
    } catch (error) {
      if (!closed.signal.aborted) state.value = { kind: "failed", why: failureText(error) }
    } finally {
      isReading = false
    }
  }

  return {
    ids,
    state,
    card: (id) => cards.get(id),
    goTo(sequence) {
      wanted = sequence
      void read()
    },
    async loadEarlier() {
      const shown = state.peek()
      if (isReading || shown.kind !== "shown" || window.first <= 1) return
      isReading = true
      const { first } = window
      try {
        const index = Math.floor((first - 2) / pageEntries)
        const page = await readPage(index, first - 1)
        window.prepend(page.filter(({ sequence }) => sequence < first))
        show(shown.entry)
      } finally {
        isReading = false
      }
      void read()
    },
    close: () => closed.abort(),
  }
}

function isSame(one: readonly Entry[] | undefined, other: readonly Entry[]): boolean {
  return one?.length === other.length && one.at(-1)?.sequence === other.at(-1)?.sequence
}

/** The card that an entry changed; null for what no card shows. */
export function changedCard({ entry }: ReplayShown): string | null {
  return cardId(entry)
}
