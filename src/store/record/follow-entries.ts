import type { RecentEntries } from "./recent-entries.ts"
import { entryFrom } from "./record-rows.ts"
import type { RecordEntry, RecordReader } from "./record-store.ts"
import type { Watch } from "./watch-changes.ts"

/** Entries that were read at once, and whether there may be more. */
export interface EntryPage {
  readonly entries: readonly RecordEntry[]
  readonly isCut: boolean
}

interface Followed {
  readonly session: { readonly number: number; readonly id: string }
  readonly watch: Watch
  readonly recent: RecentEntries
  readonly readAfter: (sequence: number) => Promise<EntryPage>
  /** False for a session that was deleted. */
  readonly isThere: () => Promise<boolean>
}

/** `follow` of a reader: from what this process has just written where it can, else by reading. */
export async function* followEntries(
  { session: { number, id }, watch, recent, readAfter, isThere }: Followed,
  { after, signal }: Parameters<RecordReader["follow"]>[0],
): AsyncIterable<RecordEntry> {
  const readRecent = (sequence: number): EntryPage | null => {
    const rows = recent.after(number, sequence)
    return rows && { entries: rows.map((row) => entryFrom(id, row)), isCut: false }
  }
  let last = after
  const release = recent.hold(number)
  try {
    for await (const _ of watch.changes(number, signal)) {
      for (let isMore = true; isMore; ) {
        const page = readRecent(last) ?? (await readAfter(last))
        for (const entry of page.entries) {
          if (signal?.aborted) return
          yield entry
          last = entry.sequence
        }
        // A session that was deleted has no entries.
        if (page.entries.length === 0 && !(await isThere())) return
        isMore = page.isCut
      }
    }
  } finally {
    release()
  }
}
