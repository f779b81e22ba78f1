import { ToolFailure } from "../../../contract/index.ts"

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
