import { recordLimits } from "../../limits.ts"
import type { SqliteDatabase, Transaction } from "../../sqlite/sqlite-database.ts"
import { allEntryRows, sessionRows } from "../read-session.ts"
import { entryFrom, type Row, sessionFrom } from "../record-rows.ts"
import { placeOf } from "../record-schema.ts"
import type { PositionedEntry } from "../record-store.ts"
import type { Watch } from "../watch-changes.ts"
import type { PositionPage, PositionSource } from "./follow-positions.ts"
import { type NewEntries, type PositionRun, positionEntries } from "./position-runs.ts"

interface PositionDeps {
  readonly database: SqliteDatabase
  readonly watch: Watch
}

/** The order of all entries in the file. SQLite has one writer at a time, so nobody else orders meanwhile. */
export function sqlitePositions({ database, watch }: PositionDeps): PositionSource {
  return {
    watch,
    async order() {
      const hasGrown = await database.query((one) => one.get(`${grownRows} LIMIT 1`) !== undefined)
      return hasGrown
        ? database.write(orderNew)
        : database.query((one) => one.number(lastPosition) ?? 0)
    },
    read: (query) => database.read((one) => readPage(one, query)),
  }
}

function orderNew(one: Transaction): number {
  const last = one.number(lastPosition) ?? 0
  const { extended, runs, ...next } = positionEntries(newEntries(one), {
    last,
    lastRun: runFrom(one.get(`${runRows} ORDER BY position DESC LIMIT 1`)),
  })
  if (extended > 0) one.run(extendLast, extended)
  for (const { position, session, sequence, length } of runs) {
    one.run("INSERT INTO positions VALUES (?, ?, ?, ?)", position, session, sequence, length)
  }
  one.run("UPDATE last_position SET position = ?", next.last)
  return next.last
}

function newEntries(one: Transaction): readonly NewEntries[] {
  const grown = one.all(`${grownRows} ORDER BY number`)
  const total = grown.reduce((sum, { head, known }) => sum + Number(head) - Number(known), 0)
  return grown.map(({ number, head, known }) => {
    const [session, first, end] = [Number(number), Number(known) + 1, Number(head)]
    one.run(putHead, session, end)
    const range = [placeOf(session, first), placeOf(session, end)] as const
    const times =
      total > recordLimits.orderedByTime
        ? null
        : one.all(timeRows, ...range).map(({ at_ms: at }) => Number(at))
    return { session, sequence: first, length: end - first + 1, times }
  })
}

/** As many as may be in memory at once, and always one. */
function readPage(one: Transaction, { after, limit }: PositionPage): readonly PositionedEntry[] {
  const found: PositionedEntry[] = []
  let characters = 0
  for (const run of one.all(`${runRows} WHERE ${fromPosition} LIMIT ?`, after, limit)) {
    const { position, session, sequence, length } = requireRun(run)
    const from = Math.max(0, after + 1 - position)
    const { id, name, parent } = sessionFrom(
      one.get(`${sessionRows} WHERE number = ?`, session) ?? {},
    )
    const rows = one.rows(
      `${allEntryRows} place BETWEEN ? AND ? ORDER BY place`,
      ...[placeOf(session, sequence + from), placeOf(session, sequence + length - 1)],
    )
    for (const row of rows) {
      const entry = entryFrom(id, row)
      const at = position + entry.sequence - sequence
      found.push({ position: at, session: { id, name, parent }, entry })
      characters += String(row.body).length
      if (found.length >= limit || characters > recordLimits.pageCharacters) return found
    }
  }
  return found
}

function runFrom(row: Row | undefined): PositionRun | undefined {
  return row && requireRun(row)
}

function requireRun({ position, session, sequence, length }: Row): PositionRun {
  return {
    ...{ position: Number(position), session: Number(session) },
    ...{ sequence: Number(sequence), length: Number(length) },
  }
}

/** The sessions that have entries without a position. */
const grownRows = `SELECT number, sessions.head, coalesce(positioned.head, 0) AS known
  FROM (${sessionRows}) AS sessions LEFT JOIN positioned ON positioned.session = sessions.number
  WHERE sessions.head > coalesce(positioned.head, 0)`

const lastPosition = "SELECT position FROM last_position"

const runRows = "SELECT position, session, sequence, length FROM positions"

/** From the run on that has the position after this one. */
const fromPosition = `position >= coalesce((SELECT max(position) FROM positions WHERE position <= ? + 1), 0)
  ORDER BY position`

const extendLast = `UPDATE positions SET length = length + ?
  WHERE position = (SELECT max(position) FROM positions)`

const putHead = "INSERT OR REPLACE INTO positioned (session, head) VALUES (?, ?)"

const timeRows = "SELECT at_ms FROM entries WHERE place BETWEEN ? AND ? ORDER BY place"
