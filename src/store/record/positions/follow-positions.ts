import { sleep } from "../../../kit/index.ts"
import { recordLimits } from "../../limits.ts"
import type { PositionedEntry, RecordStore } from "../record-store.ts"
import { anySession, type Watch } from "../watch-changes.ts"

/** Which entries are read at once. */
export interface PositionPage {
  readonly after: number
  readonly limit: number
}

/** What a kind of store does for the entries of all sessions. */
export interface PositionSource {
  readonly watch: Watch
  /** Gives every entry that was committed before a position, and answers with the last one. */
  readonly order: () => Promise<number>
  readonly read: (query: PositionPage) => Promise<readonly PositionedEntry[]>
}

/**
 * The entries of all sessions. Their order is written by who reads them, one at a time whichever process that is: so an append
 * costs what it did, and a reader misses nothing that is committed later than what comes after it.
 */
export function createPositions(
  source: PositionSource,
): Pick<RecordStore, "position" | "entries" | "follow"> {
  const { order, read } = source
  return {
    position: order,
    async entries({ after, limit = recordLimits.page }) {
      const last = await order()
      return after < last ? read({ after, limit }) : []
    },
    follow: (query) => followPositions(source, query),
  }
}

async function* followPositions(
  { watch, order, read }: PositionSource,
  { after, signal }: Parameters<RecordStore["follow"]>[0],
): AsyncIterable<PositionedEntry> {
  let position = after
  for await (const _ of watch.changes(anySession, signal)) {
    const begun = performance.now()
    const last = await order()
    const tookMs = performance.now() - begun
    while (position < last) {
      const entries = await read({ after: position, limit: recordLimits.page })
      for (const entry of entries) {
        if (signal?.aborted) return
        yield entry
        position = entry.position
      }
      // What is missing before the last one was deleted.
      if (entries.length === 0) position = last
    }
    // What comes in the meantime is put in order together, and of many sessions less often.
    const { orderMs, orderMsMost, orderShare } = recordLimits
    const pauseMs = Math.min(orderMsMost, Math.max(orderMs, tookMs / orderShare))
    await sleep(pauseMs, signal && { signal }).catch(() => {})
  }
}
