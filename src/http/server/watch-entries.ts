import { noSuchSession } from "../../session/index.ts"
import type { PositionedEntry, RecordEntry } from "../../store/index.ts"
import { isOwn, type Token } from "../access/token-store.ts"
import { createEntryFeed, type EntryFeed, type FeedOptions } from "../events/entry-feed.ts"
import type { Sent, ServerEvent } from "../events/server-event.ts"
import { describeEntry } from "./describe-session.ts"
import { type ApiDeps, openSession } from "./handler.ts"

interface Watched {
  readonly session: string
  readonly after: number
  readonly signal: AbortSignal
}

interface WatchedAll {
  /** Who reads: the token of one session is sent what is that session's. */
  readonly token: Pick<Token, "session"> | null
  /** Undefined for what comes from now on. */
  readonly after: number | undefined
  readonly signal: AbortSignal
}

/** The streams of entries. Those of one session share a feed, which is there while one of them is, and so do those of all. */
export function createFeeds(deps: ApiDeps) {
  const { store, clock } = deps
  const feeds = new Map<string, { readonly feed: EntryFeed; readers: number }>()
  let streams = 0

  async function* read<Entry>(
    key: string,
    make: () => Omit<FeedOptions<Entry>, "clock" | "allStreams">,
    { after, signal }: Pick<Watched, "after" | "signal">,
  ): AsyncIterable<Sent> {
    const shared = feeds.get(key) ?? {
      feed: createEntryFeed({ ...make(), clock, allStreams: () => streams }),
      readers: 0,
    }
    feeds.set(key, shared)
    shared.readers += 1
    streams += 1
    try {
      yield* shared.feed.stream(after, signal)
    } finally {
      shared.readers -= 1
      streams -= 1
      if (shared.readers === 0) {
        feeds.delete(key)
        shared.feed.close()
      }
    }
  }
  return {
    /**
     * The entries of a session after a number, from the record and then as they come: nothing is missing and nothing is
     * there twice. Between them the output of running calls, which is live only: of much output its end.
     */
    async watch(watched: Watched): Promise<AsyncIterable<Sent>> {
      const reader = await store.read(watched.session)
      const recorded = await reader?.session()
      if (!reader || !recorded) throw await noSuchSession(store, watched.session)
      const { id, name, head } = recorded
      // By the record's id of the session: another one may get its name.
      return read<RecordEntry>(
        `session ${id}`,
        () => ({
          ...{ source: reader, head, numberOf: ({ sequence }) => sequence },
          describe: (entry) => ({ event: "entry", id: entry.sequence, data: describeEntry(entry) }),
          session: () => openSession(deps, name),
        }),
        watched,
      )
    },
    /** The same for the entries of all sessions, after a position. */
    async watchAll({ token, after, signal }: WatchedAll): Promise<AsyncIterable<Sent>> {
      const head = await store.position()
      const describe = ({ position, session, entry }: PositionedEntry): ServerEvent | null => {
        if (token && !isOwn(token, session)) return null
        const data = { session: session.name, ...describeEntry(entry) }
        return { event: "entry", id: position, data }
      }
      const entries = read<PositionedEntry>(
        `all ${token?.session ?? ""}`,
        () => ({ source: store, head, numberOf: ({ position }) => position, describe }),
        { after: after ?? head, signal },
      )
      return after === undefined ? beginning(head, entries) : entries
    },
  }
}

/** A reader whose connection breaks before the first entry goes on from here. */
async function* beginning(position: number, entries: AsyncIterable<Sent>): AsyncIterable<Sent> {
  yield { event: "from", id: position, data: { after: position } }
  yield* entries
}
