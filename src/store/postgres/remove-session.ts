import { describeOwner, isDead } from "../../node/index.ts"
import { sessionFrom } from "../record/record-rows.ts"
import type { RecordedSession } from "../record/record-store.ts"
import type { Statements } from "./database/postgres-database.ts"
import { leasedElsewhere } from "./database/postgres-failures.ts"
import { sessionColumns } from "./session-rows.ts"

/**
 * Whether another process can be seen to have ended. Otherwise only its lease says so: machines made from one image may all have
 * the same id.
 */
export function isSeenDead(owner: string): boolean {
  return describeOwner(owner).isSeen && isDead(owner)
}

/** Of two processes that may both live, the first keeps the session. */
export function refuseOthers(
  { owner }: { readonly owner: string },
  { name, owner: other }: RecordedSession,
  leftMs: number,
): void {
  if (other !== null && other !== owner && !isSeenDead(other)) {
    throw leasedElsewhere(name, other, leftMs)
  }
}

/** With its child sessions, which could not be found without it. False when there is none with this id. */
export async function removeFamily(
  one: Statements,
  id: string,
  check: (session: RecordedSession, leftMs: number) => void,
): Promise<boolean> {
  const rows = await one.query(
    `WITH RECURSIVE family (id) AS (
       SELECT id FROM toolkeep.sessions WHERE id = $1
       UNION SELECT child.id FROM toolkeep.sessions AS child JOIN family ON child.parent_session = family.id
     ) SELECT ${sessionColumns} FROM toolkeep.sessions WHERE id IN (SELECT id FROM family)
     ORDER BY number FOR UPDATE`,
    [id],
  )
  for (const row of rows) check(sessionFrom(row), Number(row.lease_left_ms))
  if (rows.length === 0) return false
  await one.query(removeAll, [rows.map(({ number }) => Number(number))])
  return true
}

const tables = [
  ...["entries", "blobs", "unclosed", "outputs", "questions", "texts"],
  ...["positions", "positioned"],
]

const removeAll = `WITH ${tables
  .map((table) => `${table} AS (DELETE FROM toolkeep.${table} WHERE session = ANY($1::bigint[]))`)
  .join(", ")} DELETE FROM toolkeep.sessions WHERE number = ANY($1::bigint[])`
