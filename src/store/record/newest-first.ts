import type { EntryQuery, RecordEntry, RecordReader } from "./record-store.ts"

/** All entries of a session, the newest first, read page by page as they are asked for. */
export async function* newestFirst(
  reader: RecordReader,
  which: Pick<EntryQuery, "milestones"> = {},
): AsyncIterable<RecordEntry> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await reader.entries({ ...which, before })
    yield* page
    const oldest = page.at(-1)
    if (!oldest) return
    before = oldest.sequence
  }
}
