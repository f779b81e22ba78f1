import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { ToolFailure } from "../../contract/index.ts"

type Sqlite = typeof import("node:sqlite")

/**
 * Node's own SQLite, without the note about experiments that Node 22 prints when it is loaded. The
 * note is withheld only while this runs, and nothing else can run meanwhile.
 */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const sqlite = process.getBuiltinModule?.("node:sqlite")
    if (sqlite) return sqlite
  } finally {
    process.emitWarning = emitWarning
  }
  throw new ToolFailure({
    kind: "unavailable",
    message: `Toolkeep needs Node 22.13 or newer for this, which has SQLite built in; this is ${process.version}.`,
  })
}
/** SQLite's result codes, of which the low byte says what kind of problem it is. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notDatabase: 26,
}

function codeOf(error: unknown): number | null {
  const known = error instanceof Error && "errcode" in error && typeof error.errcode === "number"
  return known ? Number(error.errcode) & 0xff : null
}

/** Whether another process has the file for itself at the moment. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error)
  return code === codes.busy || code === codes.locked
}

/** What a problem with the file means to the caller. The file itself is never touched for it. */
export function databaseProblem(error: unknown, what: string, file: string): unknown {
  const sentence = sentenceFor(codeOf(error), what, file)
  if (sentence === null) return error
  return new ToolFailure({ kind: "unavailable", message: sentence }, { cause: error })
}

function sentenceFor(code: number | null, what: string, file: string): string | null {
  switch (code) {
    case codes.busy:
    case codes.locked:
      return `${what} in ${file} is being written by another process; try again in a moment.`
    case codes.corrupt:
    case codes.notDatabase:
      return `${what} in ${file} is damaged and was not changed. Move it away or restore a backup.`
    case codes.full:
      return full(file)
    case codes.readOnly:
      return `Nothing was written: ${file} is read-only.`
    case codes.cantOpen:
      return `${what} in ${file} can't be opened. Check that its directory exists and is writable.`
    case codes.io:
      // So it says as well where there is no room for the index of its journal.
      if (hasNoRoom(file)) return full(file)
      return `The disk failed while ${file} was in use, so nothing was written.`
    default:
      return null
  }
}

function full(file: string): string {
  return `Nothing was written: the disk with ${file} is full.`
}

/** What that index takes at first. */
const leastBytes = 32 * 1024

function hasNoRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize < leastBytes
  } catch {
    return false
  }
}
