import { recordLimits } from "../limits.ts"
import { sessionFrom } from "../record/record-rows.ts"
import type { RecordedSession, SessionQuery } from "../record/record-store.ts"
import type { Statements } from "./database/postgres-database.ts"

/** A session whose lease is over has no owner: another process may open it. */
export const sessionColumns = `number, id, name, parent_session, parent_call, state, head, generation, created_ms, updated_ms,
  CASE WHEN lease_until > now() THEN owner END AS owner,
  extract(epoch FROM lease_until - now()) * 1000 AS lease_left_ms`

export const sessionRows = `SELECT ${sessionColumns} FROM toolkeep.sessions`

export async function listSessions(
  database: Statements,
  query: SessionQuery,
): Promise<readonly RecordedSession[]> {
  const { parent, updatedBefore, state, limit = recordLimits.listed } = query
  const rows = await database.query(
    `${sessionRows}
     WHERE ($1::boolean OR parent_session IS NOT DISTINCT FROM $2::text)
       AND ($3::double precision IS NULL OR updated_ms < $3)
       AND ($4::text IS NULL OR state = $4)
     ORDER BY updated_ms DESC, number DESC LIMIT $5::bigint`,
    [parent === undefined, parent ?? null, updatedBefore ?? null, state ?? null, limit],
  )
  return rows.map(sessionFrom)
}
