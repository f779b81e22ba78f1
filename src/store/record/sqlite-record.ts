import { type Clock, createId, systemClock } from "../../kit/index.ts"
import { isDead, ownerOf } from "../../node/index.ts"
import { recordLimits } from "../limits.ts"
import { SqliteDatabase, type Transaction } from "../sqlite/sqlite-database.ts"
import { syncFile } from "../sqlite/sync-file.ts"
import { inUse, isOpen, nameTaken, noSuchParent, takenOver } from "./record-failures.ts"
import {
  entryFrom,
  entryId,
  jsonOf,
  outputFrom,
  type PackedEntry,
  pack,
  questionFrom,
  type Row,
  sessionFrom,
} from "./record-rows.ts"
import { recordSchema } from "./record-schema.ts"
import type {
  EntryQuery,
  RecordEntry,
  RecordedSession,
  RecordHead,
  RecordReader,
  RecordStore,
  SessionQuery,
  SessionRecord,
  SessionState,
} from "./record-store.ts"
import { createWatch, type Watch } from "./watch-changes.ts"

export interface SqliteRecordOptions {
  readonly file: string
  readonly clock?: Clock | undefined
  readonly signal?: AbortSignal | undefined
  /** The process that opens sessions, as `ownerOf` names it; this one when absent. */
  readonly owner?: string | undefined
}

/** What the sessions of one file share. */
interface RecordDeps {
  readonly database: SqliteDatabase
  readonly clock: Clock
  readonly watch: Watch
  readonly owner: string
  /** What it has open. */
  readonly opened: Set<SessionRecord>
}

/** Records sessions in one SQLite file. Several processes may have it open. */
export async function openSqliteRecord(options: SqliteRecordOptions): Promise<RecordStore> {
  const { file, clock = systemClock, signal, owner = ownerOf(process.pid) } = options
  const database = await SqliteDatabase.open(file, {
    ...{ schema: recordSchema, durability: "process", signal },
  })
  const watch = createWatch(() => database.number("PRAGMA data_version") ?? 0)
  const opened = new Set<SessionRecord>()
  const parts: RecordDeps = { database, clock, watch, owner, opened }
  const close = async () => {
    watch.close()
    // A full disk, for example, leaves them owned until this process ends; closing must not fail for that.
    await Promise.allSettled([...opened].map((session) => session.close()))
    database.close()
  }
  return {
    open: (name, given = {}) => openSession(parts, name, given.parent ?? null),
    async read(name) {
      const row = await database.query((one) => one.get(`${sessionRows} WHERE name = ?`, name))
      return row ? createReader(parts, row) : null
    },
    sessions: (query = {}) => database.query((one) => listSessions(one, query)),
    async release(name) {
      const { changes } = await database.write((one) =>
        one.run("UPDATE sessions SET owner = NULL, epoch = epoch + 1 WHERE name = ?", name),
      )
      return changes > 0
    },
    async remove(name) {
      const removed = await database.write((one) =>
        removeFamily(one, name, (session) => {
          if (session.owner === owner) throw isOpen(session.name)
          refuseOthers(parts, session)
        }),
      )
      watch.changed()
      return removed
    },
    async answer(question, answer) {
      const text = jsonOf(answer)
      const { changes } = await database.write((one) =>
        one.run("UPDATE questions SET answer = ? WHERE id = ? AND answer IS NULL", text, question),
      )
      watch.changed()
      return changes > 0
    },
    async question(id) {
      const row = await database.query((one) =>
        one.get(`${questionRows} WHERE questions.id = ?`, id),
      )
      return row ? questionFrom(row) : null
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listSessions(one: Transaction, query: SessionQuery): readonly RecordedSession[] {
  const { parent, updatedBefore, limit = recordLimits.listed } = query
  const conditions = [
    ...(parent === undefined ? [] : ["parent_session IS ?"]),
    ...(updatedBefore === undefined ? [] : ["updated_ms < ?"]),
  ]
  const values = [
    ...(parent === undefined ? [] : [parent]),
    ...(updatedBefore === undefined ? [] : [updatedBefore]),
  ]
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
  return one
    .all(`${sessionRows} ${where} ORDER BY updated_ms DESC, number DESC LIMIT ?`, ...values, limit)
    .map(sessionFrom)
}

/** Not in a column: writing a session's row with each entry costs as much as the entry (bench: session-append). */
const headOf =
  "coalesce((SELECT max(sequence) FROM entries WHERE session = sessions.number), 0) AS head"
const sessionRows = `SELECT *, ${headOf} FROM sessions`
const questionRows =
  "SELECT questions.*, sessions.id AS session_id FROM questions JOIN sessions ON sessions.number = questions.session"

async function openSession(
  parts: RecordDeps,
  name: string,
  parent: RecordedSession["parent"],
): Promise<SessionRecord> {
  const { database, clock, owner } = parts
  const row = await database.write((one) => {
    const now = clock.now()
    const found = one.get(`${sessionRows} WHERE name = ?`, name)
    if (found) {
      // Somebody else's session of this name, such as an imported one, is not what a call has begun.
      if (parent && sessionFrom(found).parent?.session !== parent.session) throw nameTaken(name)
      refuseOthers(parts, sessionFrom(found))
      one.run(
        "UPDATE sessions SET owner = ?, epoch = epoch + 1 WHERE number = ?",
        ...[owner, Number(found.number)],
      )
    } else {
      one.run(
        `INSERT INTO sessions (id, name, parent_session, parent_call, state, epoch, owner, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, 'idle', 1, ?, ?, ?)`,
        ...[createId("session"), name, parent?.session ?? null, parent?.call ?? null],
        ...[owner, now, now],
      )
    }
    return one.get(`${sessionRows} WHERE name = ?`, name) ?? {}
  })
  return createSessionRecord(parts, row)
}

/** Of two processes that may both live, the first keeps the session. */
function refuseOthers({ owner }: RecordDeps, session: RecordedSession): void {
  const { name, owner: other } = session
  if (other !== null && other !== owner && !isDead(other)) throw inUse(name, other)
}

function createSessionRecord(parts: RecordDeps, row: Row): SessionRecord {
  const { database, clock, watch, opened } = parts
  const { id } = sessionFrom(row)
  const number = Number(row.number)
  const epoch = Number(row.epoch)
  let name = String(row.name)
  let last: RecordHead = { entry: Number(row.head), milestone: Number(row.head) }

  /** All of `work` or nothing, and nothing where the session was opened again since. */
  const write = async <Result>(work: (one: Transaction) => Result): Promise<Result> => {
    const result = await database.write((one) => {
      if (one.number(isCurrent, number, epoch) === null) throw takenOver(name)
      return work(one)
    })
    watch.changed()
    return result
  }

  /**
   * What the session's row and its last entry say. Nobody else changes them in this epoch, so they are read again only
   * where a transaction of this process was taken back (bench: session-append).
   */
  const knownFrom = (found: Row) => {
    const { head, state, updatedAt } = sessionFrom(found)
    return { head, state, updatedAt, rollbacks: database.rollbacks }
  }
  let known = knownFrom(row)

  const insert = (one: Transaction, rows: readonly PackedEntry[], state?: SessionState): number => {
    if (known.rollbacks !== database.rollbacks) {
      const found = one.get(`${sessionRows} WHERE number = ?`, number)
      if (!found) throw takenOver(name)
      known = knownFrom(found)
    }
    const { head } = known
    for (const { entry, text, hash } of rows) {
      known.head += 1
      const { kind, at, opens, closes } = entry
      if (hash) one.run("INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)", hash, text)
      const parent = parentOf(entry.parent, known.head)
      const milestone = entry.isMilestone ? 1 : null
      const inline = hash ? null : text
      const values = [known.head, parent, kind, at, milestone, inline, hash] as const
      requireChange(one.run(insertEntry, ...values, number, epoch))
      if (opens !== undefined) one.run(openKey, number, opens, known.head)
      if (closes !== undefined) one.run(closeKey, number, closes)
    }
    const now = clock.now()
    const isStale = now - known.updatedAt >= recordLimits.updatedMs
    if (isStale || rows.length === 0 || (state !== undefined && state !== known.state)) {
      known.updatedAt = now
      known.state = state ?? known.state
      requireChange(one.run(touchSession, now, known.state, number, epoch))
    }
    return head
  }
  const requireChange = ({ changes }: { readonly changes: number }) => {
    if (changes === 0) throw takenOver(name)
  }

  const append: SessionRecord["append"] = async (entries, state) => {
    const rows = entries.map((entry) => pack(entry))
    const before = await database.write((one) => insert(one, rows, state))
    const milestone = entries.findLastIndex((one) => one.isMilestone)
    last = {
      entry: Math.max(last.entry, before + rows.length),
      milestone: Math.max(last.milestone, milestone < 0 ? 0 : before + milestone + 1),
    }
    watch.changed()
    return entries.map(({ kind, at, body, parent, isMilestone }, index) => {
      const sequence = before + index + 1
      return {
        ...{ id: entryId(id, sequence), sequence, parent: parentOf(parent, sequence) },
        ...{ kind, at, body, ...(isMilestone && { isMilestone }) },
      }
    })
  }

  const session: SessionRecord = {
    id,
    get name() {
      return name
    },
    ...createReader(parts, row),
    head: () => last,
    append,
    putOutput: (call, { head: start, tail, bytes }) =>
      write((one) => {
        one.run(
          `INSERT INTO outputs (session, call, head, tail, bytes) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (session, call) DO UPDATE SET head = excluded.head, tail = excluded.tail, bytes = excluded.bytes`,
          ...[number, call, start, tail, bytes],
        )
      }),
    async ask({ id: question, call, askedAt, body }) {
      const text = jsonOf(body)
      await write((one) => {
        one.run(
          "INSERT OR IGNORE INTO questions (id, session, call, asked_ms, body) VALUES (?, ?, ?, ?, ?)",
          ...[question, number, call, askedAt, text],
        )
      })
    },
    takeAnswer: (question) =>
      write((one) => {
        one.run("UPDATE questions SET taken = 1 WHERE id = ? AND session = ?", question, number)
      }),
    async answerTo(question, signal) {
      for await (const _ of watch.changes(signal)) {
        const answer = await database.query((one) => one.get(answerOf, question, number)?.answer)
        if (typeof answer === "string") return JSON.parse(answer)
      }
      return null
    },
    async rename(wanted) {
      await write((one) => {
        if (one.get(`${sessionRows} WHERE name = ?`, wanted)) throw nameTaken(wanted)
        one.run("UPDATE sessions SET name = ? WHERE number = ?", wanted, number)
      })
      name = wanted
    },
    async remove() {
      await write((one) => removeFamily(one, name, (each) => refuseOthers(parts, each)))
      opened.delete(session)
    },
    sync: () => syncFile(`${database.file}-wal`),
    async close() {
      await database.write((one) =>
        one.run("UPDATE sessions SET owner = NULL WHERE number = ? AND epoch = ?", number, epoch),
      )
      opened.delete(session)
    },
  }
  opened.add(session)
  return session
}

const isCurrent = "SELECT 1 FROM sessions WHERE number = ? AND epoch = ?"
const answerOf = "SELECT answer FROM questions WHERE id = ? AND session = ?"
const touchSession = "UPDATE sessions SET updated_ms = ?, state = ? WHERE number = ? AND epoch = ?"
const openKey = "INSERT OR IGNORE INTO unclosed (session, key, sequence) VALUES (?, ?, ?)"
const closeKey = "DELETE FROM unclosed WHERE session = ? AND key = ?"
/** Nothing where the session was opened again: a statement of its own for that costs a fifth (bench: session-append). */
const insertEntry = `INSERT INTO entries (session, sequence, parent, kind, at_ms, milestone, body, blob)
  SELECT number, ?, ?, ?, ?, ?, ?, ? FROM sessions WHERE number = ? AND epoch = ?`

/** An entry without a parent follows the entry before it. Entries are numbered from 1 without a gap. */
function parentOf(parent: number | null | undefined, sequence: number): number | null {
  if (parent === undefined) return sequence - 1 || null
  const isEarlier = parent === null || (Number.isInteger(parent) && parent > 0 && parent < sequence)
  if (!isEarlier) throw noSuchParent(parent)
  return parent
}

function createReader({ database, watch }: RecordDeps, { number: of, id: own }: Row): RecordReader {
  const number = Number(of)
  const id = String(own)
  const readSession = () =>
    database.query((one) => one.get(`${sessionRows} WHERE number = ?`, number))
  const read = async (query: EntryQuery = {}): Promise<readonly RecordEntry[]> => {
    const { after = 0, before, limit = recordLimits.page, milestones = false } = query
    const entryRows = milestones ? milestoneRows : allEntryRows
    const order = before === undefined ? "ORDER BY sequence" : "ORDER BY sequence DESC"
    const rows = database.query((one) =>
      takeFitting(
        one.rows(
          `${entryRows} AND sequence > ? AND sequence < ? ${order} LIMIT ?`,
          ...[number, after, before ?? Number.MAX_SAFE_INTEGER, limit],
        ),
      ),
    )
    return (await rows).map((row) => entryFrom(id, row))
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
    entries: read,
    async unclosed() {
      const rows = await database.query((one) => one.all(unclosedRows, number, number))
      return rows.map((row) => ({ ...entryFrom(id, row), key: String(row.key) }))
    },
    async *follow({ after, signal }) {
      let last = after
      for await (const _ of watch.changes(signal)) {
        for (;;) {
          const found = await read({ after: last })
          for (const entry of found) {
            if (signal?.aborted) return
            yield entry
            last = entry.sequence
          }
          if (found.length === 0) break
        }
        if (!(await readSession())) return
      }
    },
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
    openQuestions: () => readQuestions("AND taken IS NULL"),
    questions: () => readQuestions(""),
  }
}

/** As many as may be in memory at once, and always one. */
function takeFitting(rows: Iterable<Row>): readonly Row[] {
  const taken: Row[] = []
  let characters = 0
  for (const row of rows) {
    taken.push(row)
    characters += String(row.body).length
    if (characters > recordLimits.pageCharacters) break
  }
  return taken
}

const entryColumns =
  "SELECT sequence, parent, kind, at_ms, milestone, coalesce(entries.body, blobs.body) AS body"
const withBlobs = "LEFT JOIN blobs ON blobs.hash = entries.blob WHERE session = ?"
const allEntryRows = `${entryColumns} FROM entries ${withBlobs}`
// SQLite would read all entries by their key, the long ones too (bench: session-open).
const milestoneRows = `${entryColumns} FROM entries INDEXED BY milestones ${withBlobs} AND milestone = 1`

const unclosedRows = `SELECT entries.sequence, parent, kind, at_ms, milestone, key, coalesce(entries.body, blobs.body) AS body
  FROM unclosed JOIN entries ON entries.session = unclosed.session AND entries.sequence = unclosed.sequence
  LEFT JOIN blobs ON blobs.hash = entries.blob WHERE unclosed.session = ? AND entries.session = ? ORDER BY entries.sequence`

/** With its child sessions, which could not be found without it. False when there is none of this name. */
function removeFamily(
  one: Transaction,
  name: string,
  check: (session: RecordedSession) => void,
): boolean {
  const rows = one.all(
    `WITH RECURSIVE family (id) AS (
       SELECT id FROM sessions WHERE name = ?
       UNION SELECT sessions.id FROM sessions JOIN family ON sessions.parent_session = family.id
     ) ${sessionRows} JOIN family USING (id)`,
    name,
  )
  for (const row of rows) check(sessionFrom(row))
  for (const { number } of rows) one.run("DELETE FROM sessions WHERE number = ?", Number(number))
  return rows.length > 0
}
