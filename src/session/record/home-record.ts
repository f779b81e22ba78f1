import { existsSync } from "node:fs"
import { join } from "node:path"
import { openRecord, type RecordStore } from "../../store/index.ts"
import { prepareHome } from "../prepare-home.ts"

/** The file with the record of all sessions of a home. */
export function recordFile(home: string): string {
  return join(home, "record.sqlite")
}

/** The record of a home; null where nothing was recorded yet. */
export async function openHomeRecord(home: string): Promise<RecordStore | null> {
  const file = recordFile(home)
  return existsSync(file) ? openRecord({ file }) : null
}

/** The record of a home, which is created if missing. */
export async function createHomeRecord(home: string): Promise<RecordStore> {
  prepareHome(home)
  return openRecord({ file: recordFile(home) })
}
