import type { Clock } from "../../kit/index.ts"
import type { RecordStore } from "../record/record-store.ts"
import type { PostgresPool } from "./database/postgres-pool.ts"

export type PostgresRecordOptions = PostgresPlace & {
  readonly clock?: Clock | undefined
  /** The process that opens sessions, as `ownerOf` names it; this one when absent. */
  readonly owner?: string | undefined
}

/** An address such as postgres://user@host/database, or a pool of `pg` that the program has. */
export type PostgresPlace =
  | { readonly url: string; readonly pool?: undefined }
  | { readonly pool: PostgresPool; readonly url?: undefined }

/**
 * Records sessions in a PostgreSQL database, in its schema `toolkeep`, which is created if missing. Processes on several
 * machines may use the same one. What it needs is loaded only here.
 */
export async function postgresRecord(options: PostgresRecordOptions): Promise<RecordStore> {
  const { openPostgresRecord } = await import("./postgres-record.ts")
  return openPostgresRecord(options)
}
