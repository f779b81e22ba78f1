import type { Clock } from "../../kit/index.ts"
import { recordLimits } from "../limits.ts"
import { type EntryPage, followEntries } from "../record/follow-entries.ts"
import type { RecentEntries } from "../record/recent-entries.ts"
import {
  entryFrom,
  outputFrom,
  questionFrom,
  type Row,
  sessionFrom,
} from "../record/record-rows.ts"
import type { EntryQuery, RecordReader, SessionRecord } from "../record/record-store.ts"
import type { Watch } from "../record/watch-changes.ts"
import type { PostgresDatabase } from "./database/postgres-database.ts"
import { sessionRows } from "./session-rows.ts"

/** What the sessions of one store share. */
export interface RecordDeps {
  readonly database: PostgresDatabase
  readonly clock: Clock
  readonly watch: Watch
  readonly recent: RecentEntries
  readonly owner: string
  /** What it has open, by the numbers of their rows. */
  readonly opened: Map<SessionRecord, number>
}

export const questionRows = `SELECT questions.*, sessions.id AS session_id
  FROM toolkeep.questions AS questions JOIN toolkeep.sessions AS sessions ON sessions.number = questions.session`

export function createReader(
  { database, watch, recent }: RecordDeps,
  { number: of, id: own }: Row,
): RecordReader {
  const number = Number(of)
  const id = String(own)
  const readSession = async () => {
    const [row] = await database.query(`${sessionRows} WHERE number = $1`, [number])
    return row ? sessionFrom(row) : null
  }
  const readPage = async (query: EntryQuery): Promise<EntryPage> => {
    const { after = 0, before, limit = recordLimits.page, milestones = false } = query
    const order = before === undefined ? "ASC" : "DESC"
    const { pageCharacters } = recordLimits
    const rows = await database.query(entryRows({ milestones, order }), [
      ...[number, within(after), within(before ?? Number.MAX_SAFE_INTEGER)],
      ...[limit, pageCharacters],
    ])
    const { characters_before: earlier = 0, characters = 0 } = rows.at(-1) ?? {}
    const isFull = Number(earlier) + Number(characters) > pageCharacters
    const entries = rows.map((row) => entryFrom(id, row))
    return { entries, isCut: isFull || rows.length >= limit }
  }
  const readQuestions = async (which: string) => {
    const rows = await database.query(
      `${questionRows} WHERE questions.session = $1 ${which} ORDER BY questions.number`,
      [number],
    )
    return rows.map(questionFrom)
  }
  return {
    session: readSession,
    entries: async (query = {}) => (await readPage(query)).entries,
    async unclosed() {
      const rows = await database.query(unclosedRows, [number])
      return rows.map((row) => ({ ...entryFrom(id, row), key: String(row.key) }))
    },
    follow: (query) =>
      followEntries(
        {
          ...{ session: { number, id }, watch, recent },
          readAfter: (after) => readPage({ after }),
          isThere: async () => (await readSession()) !== null,
        },
        query,
      ),
    async output(call) {
      const [row] = await database.query(
        "SELECT head, tail, bytes FROM toolkeep.outputs WHERE session = $1 AND call = $2",
        [number, call],
      )
      return row ? outputFrom(row) : null
    },
    async text(hash) {
      const [row] = await database.query(
        "SELECT body FROM toolkeep.texts WHERE session = $1 AND hash = $2",
        [number, hash],
      )
      return row ? String(row.body) : null
    },
    openQuestions: () => readQuestions("AND taken IS NULL"),
    questions: () => readQuestions(""),
  }
}

/** Whatever number was asked for, within those that an entry can have. */
function within(sequence: number): number {
  return Math.min(Math.max(Math.trunc(sequence), 0), recordLimits.entries + 1)
}

/** As many as may be in memory at once, and always one. The bodies of the others are not even read. */
function entryRows({ milestones, order }: { milestones: boolean; order: "ASC" | "DESC" }): string {
  return `SELECT page.sequence, parent, kind, at_ms, milestone, characters, characters_before,
      coalesce(page.body, blobs.body) AS body
    FROM (
      SELECT *, sum(characters) OVER (ORDER BY sequence ${order}) - characters AS characters_before
      FROM (
        SELECT * FROM toolkeep.entries
        WHERE session = $1 AND sequence > $2 AND sequence < $3 ${milestones ? "AND milestone = 1" : ""}
        ORDER BY sequence ${order} LIMIT $4::bigint
      ) AS found
    ) AS page
    LEFT JOIN toolkeep.blobs AS blobs ON blobs.session = $1 AND blobs.hash = page.blob
    WHERE characters_before <= $5 ORDER BY page.sequence ${order}`
}

const unclosedRows = `SELECT entries.sequence, parent, kind, at_ms, milestone, key, coalesce(entries.body, blobs.body) AS body
  FROM toolkeep.unclosed AS unclosed
  JOIN toolkeep.entries AS entries ON entries.session = unclosed.session AND entries.sequence = unclosed.sequence
  LEFT JOIN toolkeep.blobs AS blobs ON blobs.session = entries.session AND blobs.hash = entries.blob
  WHERE unclosed.session = $1 ORDER BY entries.sequence`
