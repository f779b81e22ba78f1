import type { EntryQuery, RecordEntry, SessionRecord } from "../../store/index.ts"

export interface EventQuery {
  /** Only those after this sequence number; 0, and so all of them, when absent. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A session's way to its record, which is opened on first use. */
export interface RecordAccess {
  /** Null for a session that is not recorded. */
  readonly open: (() => Promise<SessionRecord>) | null
  /** What a tool sees of the record: nothing where there is none. */
  entries(query?: EntryQuery): Promise<readonly RecordEntry[]>
  /** What was recorded, then what is recorded from now on. */
  follow(query: EventQuery): AsyncIterable<RecordEntry>
  close(): Promise<void>
  /** Deletes it. */
  remove(): Promise<void>
}

export function createRecordAccess(
  openRecord: (() => Promise<SessionRecord>) | undefined,
): RecordAccess {
  if (!openRecord) return notRecorded
  let opened: Promise<SessionRecord> | null = null
  const open = () => {
    // One that could not be opened is tried again by the next who asks.
    opened ??= openRecord().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    open,
    entries: async (query = {}) => (await open()).entries(query),
    async *follow({ after = 0, signal }) {
      yield* (await open()).follow({ after, ...(signal && { signal }) })
    },
    close: async () => (await opened?.catch(() => null))?.close(),
    remove: async () => (await open()).remove(),
  }
}

const notRecorded: RecordAccess = {
  open: null,
  entries: async () => [],
  // biome-ignore lint/correctness/useYield: it fails where a caller starts to read.
  async *follow() {
    throw new Error("This session is not recorded: open Toolkeep with `durable: true` or `record`.")
  },
  close: async () => {},
  remove: async () => {},
}
