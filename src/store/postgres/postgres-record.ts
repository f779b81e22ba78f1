import { createId, systemClock } from "../../kit/index.ts"
import { ownerOf } from "../../node/index.ts"
import { postgresLimits } from "../limits.ts"
import { createPositions } from "../record/positions/follow-positions.ts"
import { createRecentEntries } from "../record/recent-entries.ts"
import { isOpen, nameTaken } from "../record/record-failures.ts"
import { jsonOf, questionFrom, type Row, sessionFrom } from "../record/record-rows.ts"
import type { RecordedSession, RecordStore, SessionRecord } from "../record/record-store.ts"
import { connectPool, givenPool } from "./database/connect-pool.ts"
import { PostgresDatabase } from "./database/postgres-database.ts"
import { leasedElsewhere } from "./database/postgres-failures.ts"
import type { PostgresRecordOptions } from "./open-postgres.ts"
import { postgresPositions } from "./positions.ts"
import { createReader, questionRows, type RecordDeps } from "./read-session.ts"
import { migrate } from "./record-schema.ts"
import { isSeenDead, refuseOthers, removeFamily } from "./remove-session.ts"
import { renewLeases } from "./renew-leases.ts"
import { listSessions, sessionColumns, sessionRows } from "./session-rows.ts"
import { watchRows } from "./watch-rows.ts"
import { createSessionRecord } from "./write-session.ts"

export async function openPostgresRecord(options: PostgresRecordOptions): Promise<RecordStore> {
  const { clock = systemClock, owner = ownerOf(process.pid) } = options
  const connected = options.pool ? givenPool(options.pool) : await connectPool(options.url)
  const database = new PostgresDatabase(connected)
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const watch = watchRows(database)
  const opened = new Map<SessionRecord, number>()
  const recent = createRecentEntries()
  const deps: RecordDeps = { database, clock, watch, recent, owner, opened }
  const stopRenewing = renewLeases(deps)
  const close = async () => {
    watch.close()
    stopRenewing()
    // Where the database is away, they are free when their leases are over.
    await Promise.allSettled([...opened.keys()].map((session) => session.close()))
    await database.close()
  }
  return {
    open: async (name, given = {}) =>
      createSessionRecord(deps, await openSession(deps, name, given.parent ?? null)),
    async read(name) {
      const [row] = await database.query(`${sessionRows} WHERE name = $1`, [name])
      return row ? createReader(deps, row) : null
    },
    sessions: (query = {}) => listSessions(database, query),
    async release(name) {
      const released = await database.query(releaseSession, [name])
      return released.length > 0
    },
    async remove(name) {
      const [row] = await database.query(`${sessionRows} WHERE name = $1`, [name])
      if (!row) return false
      const removed = await database.transaction(async (one, isRepeated) => {
        const wasThere = await removeFamily(one, String(row.id), (session, leftMs) => {
          if (session.owner === owner) throw isOpen(session.name)
          refuseOthers(deps, session, leftMs)
        })
        return wasThere || isRepeated
      })
      watch.changed()
      return removed
    },
    async answer(question, answer) {
      const values = [question, jsonOf(answer)]
      const isAnswered = await database.transaction(async (one, isRepeated) => {
        const answered = await one.query(answerQuestion, values)
        if (answered.length > 0 || !isRepeated) return answered.length > 0
        return (await one.query(hasAnswer, values)).length > 0
      })
      watch.changed()
      return isAnswered
    },
    async question(id) {
      const [row] = await database.query(`${questionRows} WHERE questions.id = $1`, [id])
      return row ? questionFrom(row) : null
    },
    ...createPositions(postgresPositions(deps)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const releaseSession = `UPDATE toolkeep.sessions SET owner = NULL, lease_until = NULL, generation = generation + 1
  WHERE name = $1 RETURNING number`

const answerQuestion =
  "UPDATE toolkeep.questions SET answer = $2 WHERE id = $1 AND answer IS NULL RETURNING id"

/** After a lost connection: this answer, which an earlier attempt has written. */
const hasAnswer = "SELECT 1 FROM toolkeep.questions WHERE id = $1 AND answer = $2"

/** One without an owner, this process's own, one whose lease is over by the database's clock, or that of a process that is seen to be dead. */
const takeSession = `UPDATE toolkeep.sessions
  SET owner = $2, generation = generation + 1, lease_until = now() + $3 * interval '1 millisecond'
  WHERE name = $1 AND (owner IS NULL OR owner = $2 OR owner = $4 OR lease_until IS NULL OR lease_until <= now())
    AND ($5::text IS NULL OR parent_session = $5)
  RETURNING ${sessionColumns}`

const createSession = `INSERT INTO toolkeep.sessions
    (id, name, parent_session, parent_call, state, owner, lease_until, created_ms, updated_ms)
  VALUES ($1, $2, $3, $4, 'idle', $5, now() + $6 * interval '1 millisecond', $7, $7)
  ON CONFLICT (name) DO NOTHING RETURNING ${sessionColumns}`

/** The session's row, of which this process is the owner now. */
async function openSession(
  { database, clock, owner }: RecordDeps,
  name: string,
  parent: RecordedSession["parent"],
): Promise<Row> {
  const { leaseMs } = postgresLimits
  let dead: string | null = null
  for (;;) {
    const [taken] = await database.query(takeSession, [
      ...[name, owner, leaseMs, dead, parent?.session ?? null],
    ])
    if (taken) return taken
    const [created] = await database.query(createSession, [
      ...[createId("session"), name, parent?.session ?? null, parent?.call ?? null],
      ...[owner, leaseMs, clock.now()],
    ])
    if (created) return created
    const [found] = await database.query(`${sessionRows} WHERE name = $1`, [name])
    // Deleted meanwhile.
    if (!found) continue
    const { owner: other, parent: of } = sessionFrom(found)
    // Somebody else's session of this name, such as an imported one, is not what a call has begun.
    if (parent && of?.session !== parent.session) throw nameTaken(name)
    // Closed meanwhile, or its lease is over; or created by an attempt whose answer was lost.
    if (other === null || other === owner) continue
    if (!isSeenDead(other)) throw leasedElsewhere(name, other, Number(found.lease_left_ms))
    dead = other
  }
}
