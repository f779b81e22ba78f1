import { existsSync } from "node:fs"
import { join } from "node:path"
import { openRecord, postgresRecord, type RecordStore } from "../../store/index.ts"
import { prepareHome } from "../prepare-home.ts"

/** The file with the record of all sessions of a home. */
export function recordFile(home: string): string {
  return join(home, "record.sqlite")
}

/** The record of a home, or of the database at the address `store`; null where nothing was recorded yet. */
export async function openHomeRecord(
  home: string,
  store: string | null = null,
): Promise<RecordStore | null> {
  if (store !== null) return postgresRecord({ url: store })
  const file = recordFile(home)
  return existsSync(file) ? openRecord({ file }) : null
}

/** The same, created if missing. */
export async function createHomeRecord(
  home: string,
  store: string | null = null,
): Promise<RecordStore> {
  prepareHome(home)
  return store === null ? openRecord({ file: recordFile(home) }) : postgresRecord({ url: store })
}
