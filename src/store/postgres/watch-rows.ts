import { postgresLimits } from "../limits.ts"
import { anySession, createWatch, type Watch } from "../record/watch-changes.ts"
import type { Statements } from "./database/postgres-database.ts"

/**
 * Looks for new entries, answers and deletions of the sessions that somebody waits for, with one statement for all of them.
 * The database could tell (LISTEN), but not through pgbouncer, and telling of each entry would make all commits wait for
 * each other.
 */
export function watchRows(database: Statements): Watch {
  /** What each looked like the last time. */
  let seen = new Map<number, string>()
  let isLooking = false
  return createWatch({
    everyMs: postgresLimits.lookMs,
    look(waiting, wake) {
      // Who waits for any session finds out itself which of them has grown.
      if (waiting.includes(anySession)) wake(anySession)
      if (isLooking) return
      isLooking = true
      readVersions(database, waiting)
        .then((versions) => {
          const changed = waiting.filter((session) => seen.get(session) !== versions.get(session))
          seen = versions
          for (const session of changed) wake(session)
        })
        // The next look finds it. Readers go on where they were when the database is back.
        .catch(() => {})
        .finally(() => {
          isLooking = false
        })
    },
  })
}

async function readVersions(
  database: Statements,
  sessions: readonly number[],
): Promise<Map<number, string>> {
  const rows = await database.query(versionRows, [sessions])
  const found = new Map(rows.map(({ number, version }) => [Number(number), String(version)]))
  return new Map(sessions.map((session) => [session, found.get(session) ?? "deleted"]))
}

const versionRows = `SELECT number, head || ' ' || (
    SELECT count(*) FROM toolkeep.questions WHERE session = sessions.number AND answer IS NOT NULL
  ) AS version FROM toolkeep.sessions AS sessions WHERE number = ANY($1::bigint[])`
