import { recordLimits } from "../limits.ts"
import { parentOf } from "../record/appended-entries.ts"
import type { PackedEntry } from "../record/record-rows.ts"
import type { SessionState } from "../record/record-store.ts"
import type { PostgresDatabase, Statements } from "./database/postgres-database.ts"

/** Which session is written, and by which writer. */
export interface Writer {
  readonly number: number
  readonly generation: number
}

export interface NewRows {
  readonly rows: readonly PackedEntry[]
  readonly state: SessionState | undefined
  readonly now: number
  /** The number of the last entry before them. */
  readonly head: number
}

/**
 * Appends rows behind `head`: one statement that locks and fences the session's row. False where the row is not as the writer
 * knows it, and nothing was written.
 */
export async function appendRows(
  database: PostgresDatabase,
  writer: Writer,
  added: NewRows,
): Promise<boolean> {
  const [first = [], ...others] = chunksOf(added.rows)
  if (others.length === 0) return insertFirst(database, writer, added, first)
  return database.transaction(async (one) => {
    if (!(await insertFirst(one, writer, added, first))) return false
    let head = added.head + first.length
    for (const rows of others) {
      const statement = new Parameters([writer.number])
      const own = "(SELECT $1::bigint AS number) AS own"
      await one.query(
        `WITH ${insertsOf(statement, { rows, head, own }).join(", ")} SELECT 1`,
        statement.values,
      )
      head += rows.length
    }
    return true
  })
}

/** Below the most parameters that a statement can have, 65,535. */
const rowsAtOnce = 4_000

function chunksOf(rows: readonly PackedEntry[]): readonly (readonly PackedEntry[])[] {
  const count = Math.ceil(rows.length / rowsAtOnce)
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce),
  )
}

async function insertFirst(
  one: Statements,
  { number, generation }: Writer,
  { rows: all, state, now, head }: NewRows,
  rows: readonly PackedEntry[],
): Promise<boolean> {
  const statement = new Parameters([
    ...[number, generation, head, head + all.length, now, state ?? null],
  ])
  const inserts = insertsOf(statement, { rows, head, own: "own" })
  const found = await one.query(
    `WITH ${[lockSession, ...inserts].join(", ")} SELECT number FROM own`,
    statement.values,
  )
  return found.length > 0
}

/** Waits for a process that opens the session at the same moment, and then finds its generation changed. */
const lockSession = `own AS (
  UPDATE toolkeep.sessions SET head = $4, updated_ms = $5, state = coalesce($6::text, state)
  WHERE number = $1 AND generation = $2 AND head = $3 RETURNING number)`

class Parameters {
  readonly values: unknown[]

  constructor(values: unknown[]) {
    this.values = values
  }

  /** The name of a new parameter in the statement. */
  add(value: unknown, type?: string): string {
    this.values.push(value)
    return type === undefined ? `$${this.values.length}` : `$${this.values.length}::${type}`
  }
}

interface Inserted {
  readonly rows: readonly PackedEntry[]
  readonly head: number
  /** What has the session's number, where the writer is the current one. */
  readonly own: string
}

function insertsOf(statement: Parameters, inserted: Inserted): readonly string[] {
  const { rows, own } = inserted
  const { opened, closed } = keysOf(inserted)
  const hashes = new Set<string>()
  const blobs = rows.filter(({ hash }) => {
    const text = hash && Buffer.from(hash).toString("hex")
    if (text === null || hashes.has(text)) return false
    hashes.add(text)
    return true
  })
  return [
    ...(rows.length > 0 ? [insertEntries(statement, inserted)] : []),
    ...(blobs.length > 0
      ? [
          `stored AS (INSERT INTO toolkeep.blobs (session, hash, body) SELECT number, new.* FROM ${own} CROSS JOIN (VALUES ${blobs
            .map(
              ({ hash, text }) =>
                `(${statement.add(hash, "bytea")}, ${statement.add(text, "text")})`,
            )
            .join(", ")}) AS new ON CONFLICT DO NOTHING)`,
        ]
      : []),
    ...(closed.length > 0
      ? [
          `closed AS (DELETE FROM toolkeep.unclosed USING ${own}
            WHERE session = own.number AND key = ANY(${statement.add(closed, "text[]")}))`,
        ]
      : []),
    ...(opened.length > 0
      ? [
          `opened AS (INSERT INTO toolkeep.unclosed (session, key, sequence)
            SELECT number, new.* FROM ${own} CROSS JOIN (VALUES ${opened
              .map(
                ([key, sequence]) =>
                  `(${statement.add(key, "text")}, ${statement.add(sequence, "integer")})`,
              )
              .join(", ")}) AS new
            ON CONFLICT (session, key) DO UPDATE SET sequence = excluded.sequence)`,
        ]
      : []),
  ]
}

const entryTypes = ["integer", "integer", "text", "double precision", "smallint", "integer"]

function insertEntries(statement: Parameters, { rows, head, own }: Inserted): string {
  const values = rows.map(({ entry, text, hash }, index) => {
    const sequence = head + index + 1
    const { kind, at, isMilestone } = entry
    const row = [sequence, parentOf(entry.parent, sequence), kind, at, isMilestone ? 1 : null]
    const known = [...row, text.length].map((value, column) =>
      statement.add(value, entryTypes[column]),
    )
    const body = statement.add(hash ? null : text, "text")
    return `(${[...known, body, statement.add(hash, "bytea")].join(", ")})`
  })
  return `added AS (
    INSERT INTO toolkeep.entries (session, sequence, parent, kind, at_ms, milestone, characters, body, blob)
    SELECT number, new.* FROM ${own} CROSS JOIN (VALUES ${values.join(", ")}) AS new)`
}

/**
 * Which keys are open and closed after all of them: the parts of one statement do not see each other. A key that is closed and
 * opened again is only opened.
 */
function keysOf({ rows, head }: Inserted) {
  const opened = new Map<string, number>()
  const closed = new Set<string>()
  for (const [index, { entry }] of rows.entries()) {
    const { opens, closes } = entry
    if (opens !== undefined) opened.set(opens, opened.get(opens) ?? head + index + 1)
    if (closes === undefined) continue
    opened.delete(closes)
    closed.add(closes)
  }
  for (const key of opened.keys()) closed.delete(key)
  return { opened: [...opened], closed: [...closed] }
}

/** Whether so many more may be written with one statement. */
export function fitsTogether(waiting: readonly PackedEntry[], more: readonly PackedEntry[]) {
  const charactersOf = (rows: readonly PackedEntry[]) =>
    rows.reduce((sum, { text }) => sum + text.length, 0)
  return (
    waiting.length + more.length <= recordLimits.page &&
    charactersOf(waiting) + charactersOf(more) <= recordLimits.pageCharacters
  )
}
