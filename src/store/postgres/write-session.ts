import { errorCode } from "../../kit/index.ts"
import { sha256 } from "../../node/index.ts"
import { postgresLimits, recordLimits } from "../limits.ts"
import { appendedEntries, headAfter, parentOf } from "../record/appended-entries.ts"
import { writtenRows } from "../record/recent-entries.ts"
import { isFull, nameTaken, takenOver } from "../record/record-failures.ts"
import { jsonOf, type PackedEntry, pack, type Row, sessionFrom } from "../record/record-rows.ts"
import type { RecordHead, SessionRecord, SessionState } from "../record/record-store.ts"
import { appendRows, fitsTogether, type Writer } from "./append-entries.ts"
import type { Statements } from "./database/postgres-database.ts"
import { createReader, type RecordDeps } from "./read-session.ts"
import { refuseOthers, removeFamily } from "./remove-session.ts"
import { sessionRows } from "./session-rows.ts"
import { WriteQueue } from "./write-queue.ts"

/** Entries that wait to be appended. */
interface Append {
  readonly rows: readonly PackedEntry[]
  readonly state: SessionState | undefined
  readonly resolve: (before: number) => void
  readonly reject: (error: unknown) => void
}

export function createSessionRecord(deps: RecordDeps, row: Row): SessionRecord {
  const { database, clock, watch, recent, opened } = deps
  const { id } = sessionFrom(row)
  const writer: Writer = { number: Number(row.number), generation: Number(row.generation) }
  const { number, generation } = writer
  let name = String(row.name)
  let last: RecordHead = { entry: Number(row.head), milestone: Number(row.head) }
  /**
   * The number of the last entry, which nobody else changes in this generation; null where it is not known whether an append
   * has taken effect.
   */
  let head: number | null = Number(row.head)

  const readHead = async (): Promise<number> => {
    const [found] = await database.query(`${sessionRows} WHERE number = $1 AND generation = $2`, [
      ...[number, generation],
    ])
    if (!found) throw takenOver(name)
    return Number(found.head)
  }

  /** Writes all that can be written; each of the others is refused for itself. */
  const writeAppends = async (appends: readonly Append[]): Promise<void> => {
    try {
      const from = head ?? (await readHead())
      const { fitting, rows } = sortOut(appends, from)
      if (fitting.length === 0) return
      head = null
      await writeRows(rows, fitting.findLast(({ one }) => one.state)?.one.state, from)
      head = from + rows.length
      for (const { one, before } of fitting) one.resolve(before)
    } catch (error) {
      for (const { reject } of appends) reject(error)
    }
  }
  const sortOut = (appends: readonly Append[], from: number) => {
    const rows: PackedEntry[] = []
    const fitting: { readonly one: Append; readonly before: number }[] = []
    for (const one of appends) {
      const before = from + rows.length
      try {
        if (before + one.rows.length > recordLimits.entries) throw isFull(name)
        for (const [index, { entry }] of one.rows.entries()) {
          parentOf(entry.parent, before + index + 1)
        }
        fitting.push({ one, before })
        rows.push(...one.rows)
      } catch (error) {
        one.reject(error)
      }
    }
    return { rows, fitting }
  }
  const writeRows = async (
    rows: readonly PackedEntry[],
    state: SessionState | undefined,
    from: number,
  ): Promise<void> => {
    const isWritten = await appendRows(database, writer, {
      ...{ rows, state, now: clock.now(), head: from },
    })
    // The connection was lost after an attempt had taken effect: the next one found it done.
    if (!isWritten && (await readHead()) !== from + rows.length) throw takenOver(name)
  }
  const queue = new WriteQueue<Append>({
    write: writeAppends,
    fits: (waiting, one) =>
      fitsTogether(
        waiting.flatMap(({ rows }) => rows),
        one.rows,
      ),
  })

  /** `statement` sees the session's row as `own`, where this is still its writer. */
  const write = async (statement: string, ...values: readonly unknown[]): Promise<void> => {
    await queue.run(async () => {
      const done = `WITH ${currentSession}, done AS (${statement}) SELECT number FROM own`
      const found = await database.query(done, [number, generation, ...values])
      if (found.length === 0) throw takenOver(name)
    })
    watch.changed(number)
  }
  const isCurrent = async (one: Statements): Promise<boolean> => {
    const found = await one.query(`WITH ${currentSession} SELECT number FROM own`, [
      ...[number, generation],
    ])
    return found.length > 0
  }

  const append: SessionRecord["append"] = async (entries, state) => {
    const rows = entries.map((entry) => pack(entry))
    const before = await new Promise<number>((resolve, reject) =>
      queue.append({ rows, state, resolve, reject }),
    )
    last = headAfter(last, before, entries)
    recent.add(number, () => writtenRows(rows, before))
    watch.changed(number)
    return appendedEntries(id, before, entries)
  }

  const session: SessionRecord = {
    id,
    get name() {
      return name
    },
    ...createReader(deps, row),
    head: () => last,
    append,
    putOutput: (call, { head: start, tail, bytes }) => write(putOutput, call, start, tail, bytes),
    putTexts: (texts) => {
      const hashed = texts.map((text) => ({ text, hash: sha256(text) }))
      return queue.run(() =>
        database.transaction(async (one) => {
          if (!(await isCurrent(one))) throw takenOver(name)
          return putTexts(one, number, hashed)
        }),
      )
    },
    ask: async ({ id: question, call, askedAt, body }) =>
      write(putQuestion, question, call, askedAt, jsonOf(body)),
    takeAnswer: (question) => write(takeAnswer, question),
    async answerTo(question, signal) {
      for await (const _ of watch.changes(number, signal)) {
        const [found] = await database.query(answerOf, [question, number])
        if (typeof found?.answer === "string") return JSON.parse(found.answer)
      }
      return null
    },
    async rename(wanted) {
      await write(rename, wanted).catch((error: unknown) => {
        throw isTaken(error) ? nameTaken(wanted) : error
      })
      name = wanted
    },
    async remove() {
      await queue.run(() =>
        database.transaction(async (one, isRepeated) => {
          if (await isCurrent(one)) {
            await removeFamily(one, id, (each, leftMs) => refuseOthers(deps, each, leftMs))
            return
          }
          const [found] = await one.query(`${sessionRows} WHERE number = $1`, [number])
          if (found || !isRepeated) throw takenOver(name)
        }),
      )
      // Its children too.
      watch.changed()
      opened.delete(session)
    },
    // A commit is on the disk, as the database is set up.
    sync: async () => {},
    async close() {
      await queue.run(() =>
        database.query(closeSession, [number, generation], { repeatMs: postgresLimits.closeMs }),
      )
      opened.delete(session)
    },
  }
  opened.set(session, number)
  return session
}

/** Locked, so that a process that opens the session at the same moment waits until this is written. */
const currentSession =
  "own AS (SELECT number FROM toolkeep.sessions WHERE number = $1 AND generation = $2 FOR UPDATE)"

const putOutput = `INSERT INTO toolkeep.outputs (session, call, head, tail, bytes)
  SELECT number, $3::text, $4::text, $5::text, $6::bigint FROM own
  ON CONFLICT (session, call) DO UPDATE SET head = excluded.head, tail = excluded.tail, bytes = excluded.bytes`

const putQuestion = `INSERT INTO toolkeep.questions (id, session, call, asked_ms, body)
  SELECT $3::text, number, $4::text, $5::double precision, $6::text FROM own ON CONFLICT DO NOTHING`

const takeAnswer =
  "UPDATE toolkeep.questions AS asked SET taken = 1 FROM own WHERE asked.id = $3 AND asked.session = own.number"

const rename =
  "UPDATE toolkeep.sessions AS renamed SET name = $3 FROM own WHERE renamed.number = own.number"

const answerOf = "SELECT answer FROM toolkeep.questions WHERE id = $1 AND session = $2"

const closeSession = `UPDATE toolkeep.sessions SET owner = NULL, lease_until = NULL
  WHERE number = $1 AND generation = $2`

/** PostgreSQL's code for two rows with the same unique value. */
const isTaken = (error: unknown) =>
  error instanceof Error && errorCode(error.cause ?? error) === "23505"

interface HashedText {
  readonly text: string
  readonly hash: string
}

async function putTexts(
  one: Statements,
  session: number,
  texts: readonly HashedText[],
): Promise<readonly (string | null)[]> {
  const [row] = await one.query(
    `SELECT coalesce(sum(characters), 0) AS taken, array_remove(array_agg(CASE WHEN hash = ANY($2::text[]) THEN hash END), NULL) AS known
     FROM toolkeep.texts WHERE session = $1`,
    [session, texts.map(({ hash }) => hash)],
  )
  const known = new Set<unknown>(Array.isArray(row?.known) ? row.known : [])
  let taken = Number(row?.taken ?? 0)
  const hashes: (string | null)[] = []
  for (const { text, hash } of texts) {
    const isNew = !known.has(hash)
    if (isNew && taken + text.length > recordLimits.textCharacters) {
      hashes.push(null)
      continue
    }
    hashes.push(hash)
    if (!isNew) continue
    known.add(hash)
    taken += text.length
    await one.query(
      "INSERT INTO toolkeep.texts (session, hash, characters, body) VALUES ($1, $2, $3, $4)",
      [session, hash, text.length, text],
    )
  }
  return hashes
}
