import { batch, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { type Card, cardFrom, cardId, type Entry, unknownCall } from "../../model/card.ts"
import { type Draft, type DraftEvent, withoutRecorded, withText } from "../../model/draft.ts"
import { numberOf, textOf } from "../../model/read-field.ts"
import { RecordWindow, type WindowChange } from "../../model/record-window.ts"
import type { PrintedPiece } from "../../model/tail.ts"
import { client, page } from "../client.ts"
import { sessions } from "../sessions.ts"
import { watch } from "../watch.ts"
import { createTails } from "./tails.ts"

/** Entries that are read at once when the reader goes back. */
const pageEntries = 256
/** How long the record of a running call may be behind what it prints. */
const readAgainMs = 250
/** What is held of one session; a page of the browser stays as large, however long the session is. */
const mostEntries = 6 * pageEntries

/** Entries of the shown session that are recorded and have not come yet, after the page was away; 0 when it is live. */
export const catchingUp = signal(0)

/** The record of one session as cards: the end of it, followed live, and more of its past when that is asked for. */
export interface SessionRecord {
  /** The ids of the cards that are loaded, in order. */
  readonly ids: ReadonlySignal<readonly string[]>
  readonly card: (id: string) => ReadonlySignal<Card> | undefined
  readonly entriesOf: (id: string) => readonly Entry[]
  /** The end of what a running call has printed. */
  readonly output: (id: string) => ReadonlySignal<string>
  /** What a model has written so far of an answer that is not recorded yet. */
  readonly draft: ReadonlySignal<string>
  readonly state: ReadonlySignal<RecordState>
  /** Loads what is before the first card, or after the last one. */
  readonly loadEarlier: () => Promise<void>
  readonly loadLater: () => Promise<void>
  /** Goes back to the newest cards from wherever the reader is. */
  readonly toEnd: () => Promise<void>
  readonly close: () => void
}

export type RecordState =
  | { readonly kind: "loading" }
  | RecordLoaded
  | { readonly kind: "failed"; readonly why: string }

export interface RecordLoaded {
  readonly kind: "live"
  readonly hasEarlier: boolean
  /** Whether the newest cards are loaded; where not, how many have come since. */
  readonly isAtEnd: boolean
  readonly missed: number
}

/**
 * "live" is a stream of its own, of which a device has few; "pages" reads on when the list of sessions says that there
 * is more.
 */
export function openRecord(session: string, how: "live" | "pages" = "live"): SessionRecord {
  const window = new RecordWindow(mostEntries)
  const cards = new Map<string, Signal<Card>>()
  const tails = createTails()
  const ids = signal<readonly string[]>([])
  const draft = signal("")
  let written: Draft = []
  const state = signal<RecordState>({ kind: "loading" })
  /** New entries until the next frame. */
  let waiting: Entry[] = []
  let frame = 0
  let streamed = 0
  const shownUntil = signal(0)
  let missed = 0
  let isLoading = false
  const closed = new AbortController()
  let stop = () => {}

  function show({ changed, dropped }: WindowChange): void {
    batch(() => {
      for (const id of dropped) {
        cards.delete(id)
        tails.drop(id)
      }
      for (const id of changed) {
        const card = cardFrom(id, window.entriesOf(id))
        const known = cards.get(id)
        if (known) known.value = card
        else cards.set(id, signal(card))
        if (card.kind === "call" && card.end) tails.drop(id)
      }
      ids.value = window.ids
      const { first, isAtEnd } = window
      if (isAtEnd) missed = 0
      state.value = { kind: "live", hasEarlier: first > 1, isAtEnd, missed }
    })
  }

  function follow(): void {
    frame = 0
    const entries = waiting
    waiting = []
    shownUntil.value = streamed
    written = entries.reduce(withoutRecorded, written)
    draft.value = written.map(({ text }) => text).join("")
    if (!window.isAtEnd) missed += entries.filter(({ kind }) => kind === "call").length
    if (entries.length > 0) show(window.follow(entries))
  }
  function onEvent({ event, data }: { readonly event: string; readonly data: unknown }): void {
    if (event === "entry") {
      const entry = data as Entry
      streamed = Math.max(streamed, entry.sequence)
      waiting.push(entry)
      frame ||= requestAnimationFrame(follow)
      if (entry.kind === "call-printed") readPrinted(entry.body)
    }
    if (event === "output") {
      const { call, text, until } = data as PrintedPiece & { readonly call: string }
      if (!tails.add(call, { text, until })) void showOutput(call).catch(() => {})
    }
    if (event === "model-text") {
      written = withText(written, data as DraftEvent)
      frame ||= requestAnimationFrame(follow)
    }
  }
  /** The last entry that was there when the server went away or the tab was hidden; null when that is made up for. */
  const awaySince = signal<number | null>(null)
  const leave = () => {
    awaySince.value ??= shownUntil.peek()
  }
  const effects = [
    effect(() => {
      if (page.value.kind !== "offline") return
      leave()
      // The server has forgotten what was written and not recorded.
      written = []
      draft.value = ""
    }),
    effect(() => {
      const since = awaySince.value
      if (how === "pages" || since === null || page.value.kind !== "live") return
      const head = sessions.value.find(({ name }) => name === session)?.head ?? 0
      catchingUp.value = Math.max(0, head - shownUntil.value)
      if (catchingUp.peek() === 0 && shownUntil.value > since) awaySince.value = null
    }),
  ]

  const list = (range: { readonly before: number } | { readonly after: number }) =>
    client().request("entries.list", { session, limit: pageEntries, ...range }, closed)

  /** One page at a time: two at once would both be read from the same place. */
  async function load(read: () => Promise<void>): Promise<void> {
    if (isLoading || closed.signal.aborted) return
    isLoading = true
    try {
      await read()
    } catch (error) {
      if (!closed.signal.aborted) throw error
    } finally {
      isLoading = false
    }
  }
  async function openEnd(): Promise<void> {
    const { entries } = await list({ before: Number.MAX_SAFE_INTEGER })
    const dropped = window.clear()
    const { changed } = window.append(entries.toReversed(), true)
    streamed = Math.max(streamed, window.last)
    shownUntil.value = streamed
    show({ changed, dropped: dropped.filter((id) => !window.ids.includes(id)) })
    await showRunning()
  }
  /** What a running call has printed before this page was there; also the calls that are recorded only when they end. */
  async function showRunning(): Promise<void> {
    const { running } = await client().request("sessions.show", { session }, closed)
    for (const { call, tool, started_ms } of running) {
      if (!cards.has(call)) cards.set(call, signal(unknownCall(call, started_ms, tool)))
      window.addRunning(call)
      await showOutput(call)
    }
    if (running.length > 0) ids.value = window.ids
  }
  /** What was recorded may be a little behind what comes live: then it is read again. */
  async function showOutput(call: string): Promise<void> {
    for (let tries = 0; tries < 5 && !closed.signal.aborted; tries += 1) {
      const range = { session, call, from: -16_384 }
      const { text, size } = await client().request("calls.output", range, closed)
      // It may have ended meanwhile.
      const card = cards.get(call)?.peek()
      if (card?.kind === "call" && card.end) return
      if (tails.begin(call, { text, until: size })) return
      await new Promise((resolve) => setTimeout(resolve, readAgainMs))
    }
  }

  /** It may have been printed before what is printed came to this page. */
  function readPrinted(body: unknown): void {
    const call = textOf(body, "call")
    if (call === null || !window.isAtEnd) return
    if (tails.isBehind(call, numberOf(body, "bytes") ?? 0)) void showOutput(call).catch(() => {})
  }

  /** Reads each time that the session has grown. */
  function readOn(): () => void {
    return effect(() => {
      const head = sessions.value.find(({ name }) => name === session)?.head ?? 0
      if (head > streamed) void readNew().catch(fail)
    })
  }
  async function readNew(): Promise<void> {
    const { entries } = await list({ after: streamed })
    for (const entry of entries) onEvent({ event: "entry", data: entry })
  }

  const fail = (error: unknown) => {
    if (closed.signal.aborted) return
    state.value = { kind: "failed", why: error instanceof Error ? error.message : String(error) }
  }
  load(async () => {
    await openEnd()
    if (closed.signal.aborted) return
    if (how === "pages") stop = readOn()
    else
      stop = watch("entries.watch", () => ({ session, after: streamed }), onEvent, {
        onFailure: fail,
        onlyWhileVisible: true,
        onAgain() {
          leave()
          tails.restart()
          showRunning().catch(() => {})
        },
      })
  }).catch(fail)

  return {
    ids,
    draft,
    state,
    output: tails.of,
    card: (id) => cards.get(id),
    entriesOf: (id) => window.entriesOf(id),
    loadEarlier: () =>
      load(async () => {
        if (window.first <= 1) return
        const { entries } = await list({ before: window.first })
        show(window.prepend(entries.toReversed()))
      }),
    loadLater: () =>
      load(async () => {
        if (window.isAtEnd) return
        const { entries, head } = await list({ after: window.last })
        const last = entries.at(-1)?.sequence ?? window.last
        show(window.append(entries, last >= Math.max(head, streamed)))
      }),
    toEnd: () => load(openEnd),
    close() {
      closed.abort()
      cancelAnimationFrame(frame)
      tails.close()
      for (const end of effects) end()
      if (how === "live") catchingUp.value = 0
      stop()
    },
  }
}

/** All entries of one call, however long ago it was: read backwards until its beginning. */
export async function findCall(
  session: string,
  call: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const found: Entry[] = []
  for (let before = Number.MAX_SAFE_INTEGER; before > 1; ) {
    const { entries } = await client().request(
      "entries.list",
      { session, before, limit: 512 },
      { signal },
    )
    const own = entries.filter((entry) => cardId(entry) === call)
    found.unshift(...own.toReversed())
    if (own.some(({ kind }) => kind === "call")) break
    before = entries.at(-1)?.sequence ?? 1
  }
  return found
}
