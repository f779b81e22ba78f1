import type { DatabaseSync } from "node:sqlite"
import { ToolFailure } from "../../contract/index.ts"

/** The tables of one kind of file. */
export interface DatabaseSchema {
  /** What the file holds, as the start of a sentence: "The memory". */
  readonly what: string
  /** Tells this kind of file from other SQLite files. */
  readonly applicationId: number
  /** What each version added; a file is brought up to date by the ones it has not seen. */
  readonly migrations: readonly string[]
}

/** Refuses what is not ours to write to, before anything is changed. The version that it has. */
export function requireKnown(database: DatabaseSync, file: string, schema: DatabaseSchema): number {
  const version = pragma(database, "user_version")
  const ours = pragma(database, "application_id") === schema.applicationId
  if (!ours && (version !== 0 || hasTables(database))) throw otherFile(file)
  if (version > schema.migrations.length) throw newerFile(file, version, schema)
  return version
}

/** Makes or updates the tables; inside a transaction, so that of two processes one does it. */
export function migrate(database: DatabaseSync, file: string, schema: DatabaseSchema): void {
  const { applicationId, migrations } = schema
  const version = requireKnown(database, file, schema)
  if (version === migrations.length) return
  for (const step of migrations.slice(version)) database.exec(step)
  database.exec(`PRAGMA application_id = ${applicationId}`)
  database.exec(`PRAGMA user_version = ${migrations.length}`)
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined
}

function newerFile(
  file: string,
  version: number,
  { what, migrations }: DatabaseSchema,
): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message:
      `${what} in ${file} was written by a newer Toolkeep (its version is ${version}, this one knows ` +
      `${migrations.length}); nothing was changed. Update Toolkeep.`,
    retryable: false,
  })
}

function otherFile(file: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `${file} is the database of another program and was not changed. Move it away.`,
    retryable: false,
  })
}
