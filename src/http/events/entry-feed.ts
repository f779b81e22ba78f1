import { type Clock, onAbort, sleep } from "../../kit/index.ts"
import type { Session } from "../../session/index.ts"
import { httpLimits } from "../limits.ts"
import { createLiveOutput, type PublishedOutput } from "./live-output.ts"
import { encodeEvents, type ServerEvent } from "./server-event.ts"

/** Entries in an order of their own: those of one session, or those of all. */
export interface EntrySource<Entry> {
  follow(query: { readonly after: number; readonly signal: AbortSignal }): AsyncIterable<Entry>
  entries(query: { readonly after: number; readonly limit: number }): Promise<readonly Entry[]>
}

export interface FeedOptions<Entry> {
  readonly source: EntrySource<Entry>
  /** The number of the last entry. */
  readonly head: number
  readonly numberOf: (entry: Entry) => number
  /** Null for an entry that is not for these readers. */
  readonly describe: (entry: Entry) => ServerEvent | null
  /** The session whose output is sent too, where it is open. */
  readonly session?: (() => Session | undefined) | undefined
  readonly clock: Clock
  /** How many streams of all sessions are open. */
  readonly allStreams: () => number
}

/** Entries in a row, as they are sent. */
interface Page {
  /** The entry before the first one, and the last one. */
  readonly after: number
  readonly last: number
  readonly bytes: Uint8Array
}

/** What the streams of one session, or of all, share. */
export interface EntryFeed {
  /** Every entry after a number and the output of running calls, until the signal aborts or there can be no more. */
  stream(after: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  close(): void
}

/**
 * New entries are read and encoded once for all its streams, and those of one moment are sent together: so
 * 200 streams do not slow down the calls that they show (bench: streams-calls). A stream that is behind what is
 * still held reads the record itself.
 */
export function createEntryFeed<Entry>(options: FeedOptions<Entry>): EntryFeed {
  const { source, head, numberOf, describe, clock, allStreams } = options
  const closed = new AbortController()
  const streams = new Set<Stream>()
  let recent: readonly Page[] = []
  /** The last entry that was published. */
  let position = head
  let end: { readonly error?: unknown } | null = null

  const wakeAll = () => {
    for (const stream of streams) stream.wake()
  }
  const live = createLiveOutput({
    ...{ session: options.session ?? (() => undefined), clock },
    publish(output) {
      for (const stream of streams) stream.addOutput(output)
      wakeAll()
    },
  })
  const pageOf = (after: number, entries: readonly Entry[]): Page => {
    const last = entries.at(-1)
    return {
      ...{ after, last: last === undefined ? after : numberOf(last) },
      bytes: encodeEvents(entries.flatMap((entry) => describe(entry) ?? [])),
    }
  }
  const publish = (entries: readonly Entry[]) => {
    const page = pageOf(position, entries)
    recent = holdRecent([...recent, page])
    position = page.last
    wakeAll()
  }
  const run = async () => {
    live.attach()
    const entries = source.follow({ after: head, signal: closed.signal })
    for await (const together of inBatches(entries, httpLimits.streamEntries)) {
      live.attach()
      // Output comes before the end of its call.
      live.flush()
      publish(together)
      // What the streams cost stays a small part of the server's time, however many there are.
      const pauseMs = Math.min(
        httpLimits.streamPauseMs,
        allStreams() * httpLimits.streamPauseMsEach,
      )
      await sleep(pauseMs, { clock, signal: closed.signal }).catch(() => {})
    }
  }
  run()
    .then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    .then((how) => {
      end = how
      live.stop()
      wakeAll()
    })

  /** From the record: what a stream lacks of what was published. */
  async function readPage(after: number): Promise<Page | null> {
    const until = position
    if (after >= until) return null
    const entries = await source.entries({ after, limit: httpLimits.streamEntries })
    const published = entries.filter((entry) => numberOf(entry) <= until)
    return published.length === 0 ? null : pageOf(after, published)
  }

  return {
    async *stream(after, signal) {
      const stream = new Stream()
      streams.add(stream)
      const stopListening = onAbort(signal, () => stream.wake())
      try {
        for (let last = after; !signal.aborted; ) {
          yield* stream.takeOutput()
          const page = recent.find((one) => one.after === last) ?? (await readPage(last))
          if (page) {
            last = page.last
            if (page.bytes.length > 0) yield page.bytes
          } else if (end) {
            if ("error" in end) throw end.error
            return
          } else await stream.woken()
        }
      } finally {
        stopListening()
        streams.delete(stream)
      }
    },
    close: () => closed.abort(),
  }
}

/** One reader: what it has not taken yet of the output, and whether something has come since it looked. */
class Stream {
  #output: PublishedOutput[] = []
  #dropped = 0
  #isStale = false
  #resume = () => {}

  wake(): void {
    this.#isStale = true
    this.#resume()
  }

  async woken(): Promise<void> {
    if (!this.#isStale) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve
      })
    }
    this.#isStale = false
  }

  /** A reader that is slow gets the newest, and is told how much it has missed. */
  addOutput(output: PublishedOutput): void {
    this.#output.push(output)
    if (this.#output.length <= httpLimits.liveOutputsWaiting) return
    this.#dropped += this.#output.shift()?.printed ?? 0
  }

  takeOutput(): readonly Uint8Array[] {
    const missed = { event: "output-dropped", data: { bytes: this.#dropped } }
    const waiting = this.#output.splice(0).map(({ bytes }) => bytes)
    if (this.#dropped > 0) waiting.unshift(encodeEvents([missed]))
    this.#dropped = 0
    return waiting
  }
}

/** The newest pages, up to a size, and always one. */
function holdRecent(pages: readonly Page[]): readonly Page[] {
  let bytes = 0
  const from = pages.findLastIndex((page) => {
    bytes += page.bytes.length
    return bytes > httpLimits.streamHeldBytes
  })
  return from === -1 ? pages : pages.slice(Math.min(from + 1, pages.length - 1))
}

/** Those that are there already come together. */
async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  most: number,
): AsyncIterable<readonly Item[]> {
  const iterator = items[Symbol.asyncIterator]()
  let next = iterator.next()
  for (;;) {
    const batch: Item[] = []
    let found: IteratorResult<Item> | null = await next
    while (found && !found.done && batch.length < most) {
      batch.push(found.value)
      next = iterator.next()
      found = await Promise.race([next, nothingYet()])
    }
    if (batch.length > 0) yield batch
    if (found?.done) return
  }
}

function nothingYet(): Promise<null> {
  return new Promise((resolve) => setImmediate(resolve, null))
}
