import { recordLimits } from "../limits.ts"
import type { PositionPage, PositionSource } from "../record/positions/follow-positions.ts"
import {
  type NewEntries,
  type PositionRun,
  positionEntries,
} from "../record/positions/position-runs.ts"
import { entryFrom, type Row, sessionFrom } from "../record/record-rows.ts"
import type { PositionedEntry } from "../record/record-store.ts"
import type { Watch } from "../record/watch-changes.ts"
import type { PostgresDatabase, Statements } from "./database/postgres-database.ts"
import { sessionColumns } from "./session-rows.ts"

interface PositionDeps {
  readonly database: PostgresDatabase
  readonly watch: Watch
}

/**
 * The order of all entries in the database. Only what is committed is given a position, by the process that moves
 * the last one on. So no position is filled later than one behind it, as those of a PostgreSQL sequence are.
 */
export function postgresPositions({ database, watch }: PositionDeps): PositionSource {
  return {
    watch,
    order: () => orderAll(database),
    read: (query) => readPage(database, query),
  }
}

/**
 * Two statements and no transaction, so that it ends also over connections that often break. The second takes effect only
 * where nobody has ordered since the first.
 */
async function orderAll(database: Statements): Promise<number> {
  for (;;) {
    const [now] = await database.query(grownNow)
    if (!now?.has_grown) return Number(now?.position ?? 0)
    const last = await orderNew(database)
    if (last !== null) return last
  }
}

/** Null where another process was quicker. */
async function orderNew(database: Statements): Promise<number | null> {
  const grown = await database.query(grownRows, [recordLimits.orderedByTime])
  const [now] = grown
  if (!now) return null
  const added = grown.map(newEntriesFrom)
  const lastRun = now.last_position === null ? undefined : lastRunFrom(now)
  const { extended, runs, last } = positionEntries(added, {
    ...{ last: Number(now.position), lastRun },
  })
  const heads = added.map(({ session, sequence, length }) => {
    return { session, head: sequence + length - 1 }
  })
  const moved = await database.query(putPositions, [
    ...columns(runs, ["position", "session", "sequence", "length"]),
    ...columns(heads, ["session", "head"]),
    ...[lastRun?.position ?? 0, extended, last, now.position],
  ])
  return moved.length > 0 ? last : null
}

function lastRunFrom(row: Row): PositionRun {
  return runFrom({
    ...{ position: row.last_position, session: row.last_session },
    ...{ sequence: row.last_sequence, length: row.last_length },
  })
}

function newEntriesFrom({ number, head, known, times }: Row): NewEntries {
  return {
    ...{ session: Number(number), sequence: Number(known) + 1 },
    length: Number(head) - Number(known),
    times: Array.isArray(times) ? times.map(Number) : null,
  }
}

/** As many as may be in memory at once, and always one. The bodies of the others are not even read. */
async function readPage(
  database: Statements,
  { after, limit }: PositionPage,
): Promise<readonly PositionedEntry[]> {
  for (let from = after; ; ) {
    const found = await database.query(`${runRows} WHERE ${fromPosition} LIMIT $2::bigint`, [
      ...[from, limit],
    ])
    const runs = takeRuns(found.map(runFrom), { after: from, limit })
    const end = runs.at(-1)
    if (!end) return []
    const rows = await database.query(entryRows, [
      ...columns(runs, ["position", "session", "sequence", "length"]),
      recordLimits.pageCharacters,
    ])
    if (rows.length > 0) return rows.map(positionedFrom)
    // All of them were deleted meanwhile.
    from = end.position + end.length - 1
  }
}

function positionedFrom(row: Row): PositionedEntry {
  const { id, name, parent } = sessionFrom(row)
  return {
    ...{ position: Number(row.position), session: { id, name, parent } },
    entry: entryFrom(id, row),
  }
}

/** The parts of runs that have the wanted entries. */
function takeRuns(
  runs: readonly PositionRun[],
  { after, limit }: PositionPage,
): readonly PositionRun[] {
  let left = limit
  return runs.flatMap(({ position, session, sequence, length }) => {
    const skipped = Math.max(0, after + 1 - position)
    const taken = Math.min(left, length - skipped)
    if (taken <= 0) return []
    left -= taken
    return [{ position: position + skipped, session, sequence: sequence + skipped, length: taken }]
  })
}

function runFrom({ position, session, sequence, length }: Row): PositionRun {
  return {
    ...{ position: Number(position), session: Number(session) },
    ...{ sequence: Number(sequence), length: Number(length) },
  }
}

/** The values of rows, one list for each column. */
function columns<Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): readonly (readonly number[])[] {
  return names.map((name) => rows.map((row) => row[name]))
}

const grownFrom = `FROM toolkeep.sessions AS sessions
  LEFT JOIN toolkeep.positioned AS positioned ON positioned.session = sessions.number
  WHERE sessions.head > coalesce(positioned.head, 0)`

/** With the times of their new entries, where those are few, and what was ordered last. */
const grownRows = `WITH grown AS (
    SELECT number, sessions.head, coalesce(positioned.head, 0) AS known ${grownFrom}
  )
  SELECT grown.*, last_position.position, last_run.*, CASE WHEN (SELECT sum(head - known) FROM grown) <= $1 THEN ARRAY(
      SELECT at_ms FROM toolkeep.entries
      WHERE session = grown.number AND sequence > grown.known AND sequence <= grown.head ORDER BY sequence
    ) END AS times
  FROM grown CROSS JOIN toolkeep.last_position AS last_position
  LEFT JOIN (
    SELECT position AS last_position, session AS last_session, sequence AS last_sequence, length AS last_length
    FROM toolkeep.positions ORDER BY position DESC LIMIT 1
  ) AS last_run ON true ORDER BY number`

const grownNow = `SELECT (SELECT position FROM toolkeep.last_position) AS position, EXISTS (SELECT 1 ${grownFrom}) AS has_grown`

/** Not those of a session that was deleted while they were written. */
const runRows = `SELECT position, session, sequence, length
  FROM toolkeep.positions AS positions JOIN toolkeep.sessions AS sessions ON sessions.number = positions.session`

/** From the run on that has the position after this one. */
const fromPosition = `position >= coalesce(
    (SELECT max(position) FROM toolkeep.positions WHERE position <= $1::bigint + 1), 0) ORDER BY position`

const putPositions = `WITH moved AS (
    UPDATE toolkeep.last_position SET position = $9::bigint WHERE position = $10::bigint RETURNING position
  ), added AS (
    INSERT INTO toolkeep.positions (position, session, sequence, length)
    SELECT new.* FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[]) AS new CROSS JOIN moved
  ), heads AS (
    INSERT INTO toolkeep.positioned (session, head)
    SELECT new.* FROM unnest($5::bigint[], $6::integer[]) AS new CROSS JOIN moved
    ON CONFLICT (session) DO UPDATE SET head = excluded.head
  ), extended AS (
    UPDATE toolkeep.positions AS run SET length = length + $8::integer
    FROM moved WHERE run.position = $7::bigint AND $8::integer > 0
  ) SELECT position FROM moved`

const entryRows = `SELECT page.*, coalesce(page.entry_body, blobs.body) AS body, ${sessionColumns}
  FROM (
    SELECT *, sum(characters) OVER (ORDER BY position) - characters AS characters_before
    FROM (
      SELECT run.position + sequence - run.first AS position, entries.session, sequence, parent, kind, at_ms, milestone,
        characters, body AS entry_body, blob
      FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[]) AS run (position, session, first, length)
      JOIN toolkeep.entries AS entries
        ON entries.session = run.session AND sequence >= run.first AND sequence < run.first + run.length
    ) AS found
  ) AS page
  JOIN toolkeep.sessions AS sessions ON sessions.number = page.session
  LEFT JOIN toolkeep.blobs AS blobs ON blobs.session = page.session AND blobs.hash = page.blob
  WHERE characters_before <= $5 ORDER BY page.position`
