import { ToolFailure } from "../../../contract/index.ts"

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

/** What a problem with the file means to whoever called. The file itself is never touched for it. */
export function memoryProblem(error: unknown, file: string): unknown {
  const sentence = sentenceFor(codeOf(error), file)
  if (sentence === null) return error
  return new ToolFailure({ kind: "unavailable", message: sentence }, { cause: error })
}

function sentenceFor(code: number | null, file: string): string | null {
  switch (code) {
    case codes.busy:
    case codes.locked:
      return `The memory in ${file} is being written by another process; try again in a moment.`
    case codes.corrupt:
    case codes.notDatabase:
      return `The memory in ${file} is damaged, so it is left as it is. Move it away or put a backup in its place.`
    case codes.full:
      return `Nothing was written: the disk with ${file} is full.`
    case codes.readOnly:
      return `Nothing was written: ${file} is read-only.`
    case codes.cantOpen:
      return `The memory in ${file} can't be opened. Check that the directory exists and may be written to.`
    case codes.io:
      return `The disk failed while ${file} was in use, so nothing was written.`
    default:
      return null
  }
}
