import { type Clock, createId, systemClock } from "../../kit/index.ts"
import { ownerOf } from "../../node/index.ts"
import { recordLimits } from "../limits.ts"
import { SqliteDatabase, type Transaction } from "../sqlite/sqlite-database.ts"
import { createPositions } from "./positions/follow-positions.ts"
import { sqlitePositions } from "./positions/sqlite-positions.ts"
import { createReader, questionRows, type RecordDeps, sessionRows } from "./read-session.ts"
import { createRecentEntries } from "./recent-entries.ts"
import { isOpen, nameTaken } from "./record-failures.ts"
import { jsonOf, questionFrom, sessionFrom } from "./record-rows.ts"
import { recordSchema } from "./record-schema.ts"
import type { RecordedSession, RecordStore, SessionQuery, SessionRecord } from "./record-store.ts"
import { watchFile } from "./watch-file.ts"
import { createSessionRecord, refuseOthers, removeFamily } from "./write-session.ts"

export interface SqliteRecordOptions {
  readonly file: string
  readonly clock?: Clock | undefined
  readonly signal?: AbortSignal | undefined
  /** The process that opens sessions, as `ownerOf` names it; this one when absent. */
  readonly owner?: string | undefined
}

/** Records sessions in one SQLite file. Several processes may have it open. */
export async function openSqliteRecord(options: SqliteRecordOptions): Promise<RecordStore> {
  const { file, clock = systemClock, signal, owner = ownerOf(process.pid) } = options
  const database = await SqliteDatabase.open(file, {
    ...{ schema: recordSchema, durability: "process", signal },
  })
  const watch = watchFile(() => database.number("PRAGMA data_version") ?? 0)
  const opened = new Set<SessionRecord>()
  const recent = createRecentEntries()
  const parts: RecordDeps = { database, clock, watch, recent, owner, opened }
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
    ...createPositions(sqlitePositions(parts)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listSessions(one: Transaction, query: SessionQuery): readonly RecordedSession[] {
  const { parent, updatedBefore, state, limit = recordLimits.listed } = query
  const conditions = [
    ...(parent === undefined ? [] : ["parent_session IS ?"]),
    ...(updatedBefore === undefined ? [] : ["updated_ms < ?"]),
    ...(state === undefined ? [] : ["state = ?"]),
  ]
  const values = [
    ...(parent === undefined ? [] : [parent]),
    ...(updatedBefore === undefined ? [] : [updatedBefore]),
    ...(state === undefined ? [] : [state]),
  ]
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
  return one
    .all(`${sessionRows} ${where} ORDER BY updated_ms DESC, number DESC LIMIT ?`, ...values, limit)
    .map(sessionFrom)
}

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
