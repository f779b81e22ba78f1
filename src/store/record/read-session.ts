import type { Clock } from "../../kit/index.ts"
import { recordLimits } from "../limits.ts"
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts"
import { type EntryPage, followEntries } from "./follow-entries.ts"
import type { RecentEntries } from "./recent-entries.ts"
import { entryFrom, outputFrom, questionFrom, type Row, sessionFrom } from "./record-rows.ts"
import { placeOf, placesOf } from "./record-schema.ts"
import type { EntryQuery, RecordReader, SessionRecord } from "./record-store.ts"
import type { Watch } from "./watch-changes.ts"

/** What the sessions of one file share. */
export interface RecordDeps {
  readonly database: SqliteDatabase
  readonly clock: Clock
  readonly watch: Watch
  readonly recent: RecentEntries
  readonly owner: string
  /** What it has open. */
  readonly opened: Set<SessionRecord>
}

/** Not in a column: writing a session's row with each entry costs as much as the entry (bench: session-append). */
const headOf = `coalesce((SELECT sequence FROM entries WHERE ${placesOf("sessions.number")}
  ORDER BY place DESC LIMIT 1), 0) AS head`

export const sessionRows = `SELECT *, ${headOf} FROM sessions`

export const questionRows =
  "SELECT questions.*, sessions.id AS session_id FROM questions JOIN sessions ON sessions.number = questions.session"

export function createReader(
  { database, watch, recent }: RecordDeps,
  { number: of, id: own }: Row,
): RecordReader {
  const number = Number(of)
  const id = String(own)
  const readSession = () =>
    database.query((one) => one.get(`${sessionRows} WHERE number = ?`, number))
  /** Whatever number was asked for: behind the last place of a session begins the next one. */
  const within = (sequence: number) =>
    placeOf(number, Math.min(Math.max(sequence, 0), recordLimits.entries + 1))
  const readPage = async (query: EntryQuery): Promise<EntryPage> => {
    const { after = 0, before, limit = recordLimits.page, milestones = false } = query
    const entryRows = milestones ? milestoneRows : allEntryRows
    const order = before === undefined ? "ORDER BY place" : "ORDER BY place DESC"
    const { rows, isCut } = await database.query((one) =>
      takeFitting(
        one.rows(
          `${entryRows} place > ? AND place < ? ${order} LIMIT ?`,
          ...[within(after), within(before ?? Number.MAX_SAFE_INTEGER), limit],
        ),
      ),
    )
    const entries = rows.map((row) => entryFrom(id, row))
    return { entries, isCut: isCut || rows.length >= limit }
  }
  const readQuestions = async (which: string) => {
    const rows = await database.query((one) =>
      one.all(
        `${questionRows} WHERE questions.session = ? ${which} ORDER BY questions.number`,
        number,
      ),
    )
    return rows.map(questionFrom)
  }
  return {
    async session() {
      const row = await readSession()
      return row ? sessionFrom(row) : null
    },
    entries: async (query = {}) => (await readPage(query)).entries,
    async unclosed() {
      const rows = await database.query((one) => one.all(unclosedRows, placeOf(number, 0), number))
      return rows.map((row) => ({ ...entryFrom(id, row), key: String(row.key) }))
    },
    follow: (query) =>
      followEntries(
        {
          ...{ session: { number, id }, watch, recent },
          readAfter: (after) => readPage({ after }),
          isThere: async () => (await readSession()) !== undefined,
        },
        query,
      ),
    async output(call) {
      const row = await database.query((one) =>
        one.get(
          "SELECT head, tail, bytes FROM outputs WHERE session = ? AND call = ?",
          number,
          call,
        ),
      )
      return row ? outputFrom(row) : null
    },
    async text(hash) {
      const row = await database.query((one) => one.get(textOf, number, hash))
      return row ? String(row.body) : null
    },
    openQuestions: () => readQuestions("AND taken IS NULL"),
    questions: () => readQuestions(""),
  }
}

const textOf = "SELECT body FROM texts WHERE session = ? AND hash = ?"

/** As many as may be in memory at once, and always one. */
function takeFitting(found: Iterable<Row>): {
  readonly rows: readonly Row[]
  readonly isCut: boolean
} {
  const rows: Row[] = []
  let characters = 0
  for (const row of found) {
    rows.push(row)
    characters += String(row.body).length
    if (characters > recordLimits.pageCharacters) return { rows, isCut: true }
  }
  return { rows, isCut: false }
}

const entryColumns =
  "SELECT sequence, parent, kind, at_ms, milestone, coalesce(entries.body, blobs.body) AS body"

const withBlobs = "LEFT JOIN blobs ON blobs.hash = entries.blob"

export const allEntryRows = `${entryColumns} FROM entries ${withBlobs} WHERE`

// SQLite would read all entries by their key, the long ones too (bench: session-open).
const milestoneRows = `${entryColumns} FROM entries INDEXED BY milestones ${withBlobs} WHERE milestone = 1 AND`

const unclosedRows = `SELECT entries.sequence, parent, kind, at_ms, milestone, key, coalesce(entries.body, blobs.body) AS body
  FROM unclosed JOIN entries ON place = ? + unclosed.sequence ${withBlobs} WHERE unclosed.session = ? ORDER BY place`
