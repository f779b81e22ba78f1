import { postgresLimits } from "../limits.ts"
import type { RecordDeps } from "./read-session.ts"

/**
 * Renews the leases of all open sessions with one statement. A lease only says when others may open the session; what keeps
 * two processes from writing it is its generation. So one that comes too late, because the process was stopped or the database
 * was away, is renewed as well where nobody has opened the session meanwhile. The returned function ends it.
 */
export function renewLeases({ database, opened, owner }: RecordDeps): () => void {
  let isRenewing = false
  const renew = async () => {
    if (isRenewing || opened.size === 0) return
    isRenewing = true
    try {
      await database.query(renewRows, [[...opened.values()], owner, postgresLimits.leaseMs])
    } catch {
      // Writes say what is wrong; the next turn tries again.
    } finally {
      isRenewing = false
    }
  }
  const timer = setInterval(() => void renew(), postgresLimits.renewMs)
  timer.unref()
  return () => clearInterval(timer)
}

const renewRows = `UPDATE toolkeep.sessions SET lease_until = now() + $3 * interval '1 millisecond'
  WHERE number = ANY($1::bigint[]) AND owner = $2`
