import type { RecordStore } from "./record-store.ts"
import type { SqliteRecordOptions } from "./sqlite-record.ts"

/** Opens a record, and creates its file if missing. What it needs is loaded only here. */
export async function openRecord(options: SqliteRecordOptions): Promise<RecordStore> {
  const { openSqliteRecord } = await import("./sqlite-record.ts")
  return openSqliteRecord(options)
}
