import { type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { type Card, cardId, type Entry, withEntry } from "../model/card.ts"
import { client } from "./client.ts"
import { watch } from "./watch.ts"

/** What is kept of the output of a running call. */
const tailCharacters = 20_000
/** Entries that are read at once when the reader goes back. */
const pageEntries = 256

/** The record of one session as cards: the end of it, followed live, and more of its past when that is asked for. */
export interface SessionRecord {
  /** The ids of the cards that are loaded, in order. */
  readonly ids: ReadonlySignal<readonly string[]>
  readonly card: (id: string) => ReadonlySignal<Card> | undefined
  /** The end of what a running call has printed. */
  readonly output: (id: string) => ReadonlySignal<string>
  readonly state: ReadonlySignal<RecordState>
  /** Loads what is before the first card. */
  readonly loadEarlier: () => Promise<void>
  readonly close: () => void
}

export type RecordState =
  | { readonly kind: "loading" }
  | { readonly kind: "live"; readonly hasEarlier: boolean }
  | { readonly kind: "failed"; readonly why: string }

export function openRecord(session: string): SessionRecord {
  const cards = new Map<string, Signal<Card>>()
  const outputs = new Map<string, Signal<string>>()
  const ids = signal<readonly string[]>([])
  const state = signal<RecordState>({ kind: "loading" })
  let first = Number.POSITIVE_INFINITY
  let stop = () => {}
  let isClosed = false

  /** The cards that entries added. */
  function take(entries: readonly Entry[]): readonly string[] {
    const added: string[] = []
    for (const entry of entries) {
      const id = cardId(entry)
      if (id === null) continue
      const known = cards.get(id)
      const card = withEntry(id, known?.peek(), entry)
      if (known) known.value = card
      else {
        cards.set(id, signal(card))
        added.push(id)
      }
    }
    return added
  }
  const output = (id: string): Signal<string> => {
    const known = outputs.get(id) ?? signal("")
    outputs.set(id, known)
    return known
  }
  function onEvent({ event, data }: { readonly event: string; readonly data: unknown }): void {
    if (event === "entry") {
      const added = take([data as Entry])
      if (added.length > 0) ids.value = [...ids.peek(), ...added]
    }
    if (event === "output") {
      const { call, text } = data as { readonly call: string; readonly text: string }
      const tail = output(call)
      tail.value = (tail.peek() + text).slice(-tailCharacters)
    }
  }

  async function before(sequence: number | undefined): Promise<readonly Entry[]> {
    const range = { limit: pageEntries, before: sequence ?? Number.MAX_SAFE_INTEGER }
    const { entries } = await client().request("entries.list", { session, ...range })
    return entries.toReversed()
  }
  function remember(entries: readonly Entry[]): void {
    first = entries[0]?.sequence ?? 0
    state.value = { kind: "live", hasEarlier: first > 1 }
  }
  async function open(): Promise<void> {
    const entries = await before(undefined)
    if (isClosed) return
    ids.value = take(entries)
    remember(entries)
    const after = entries.at(-1)?.sequence ?? 0
    stop = watch("entries.watch", { session, after }, onEvent, fail)
  }
  const fail = (error: unknown) => {
    state.value = { kind: "failed", why: error instanceof Error ? error.message : String(error) }
  }
  open().catch(fail)

  return {
    ids,
    state,
    output,
    card: (id) => cards.get(id),
    async loadEarlier() {
      if (first <= 1) return
      const entries = await before(first)
      const later = take(entries.filter((entry) => !isKnown(entry, cards)))
      // A card whose end was loaded before its beginning gets the rest of it.
      take(entries.filter((entry) => isBeginning(entry, cards)))
      ids.value = [...later, ...ids.peek()]
      remember(entries)
    },
    close() {
      isClosed = true
      stop()
    },
  }
}

function isKnown(entry: Entry, cards: ReadonlyMap<string, unknown>): boolean {
  return cards.has(cardId(entry) ?? "")
}

function isBeginning(entry: Entry, cards: ReadonlyMap<string, unknown>): boolean {
  return entry.kind === "call" && isKnown(entry, cards)
}
