import { ToolFailure } from "../../contract/index.ts"
import type { Way } from "./start-child.ts"
import { WarmProcesses } from "./warm-processes.ts"
import { WorkPlaces } from "./work-places.ts"

/** What the sessions of one Toolkeep share: how many processes work for them, and whose turn it is. */
export interface WorkPool {
  readonly places: WorkPlaces
  readonly warm: WarmProcesses
  /** How processes are started here, the best first, without those that turned out not to work. */
  readonly ways: Way[]
}

/** The work of one session, which ends with it. */
export interface SessionWork {
  readonly pool: WorkPool
  /** Whose session it is: all of one owner's share what an owner may have at once. */
  readonly owner: string
  readonly closed: AbortSignal
}

export function createWorkPool(): WorkPool {
  return { places: new WorkPlaces(), warm: new WarmProcesses(), ways: possibleWays() }
}

export function openSessionWork(
  pool: WorkPool,
  owner: string,
  onClose: (close: () => Promise<void>) => void,
): SessionWork {
  const closing = new AbortController()
  const work = { pool, owner, closed: closing.signal }
  onClose(async () => {
    closing.abort(new ToolFailure({ kind: "unavailable", message: "The session is closed." }))
    await pool.warm.endAll(work)
  })
  return work
}

/** The best first. What works here, the first start tells: packages may lie where nobody else may look. */
function possibleWays(): Way[] {
  const asRoot = process.getuid?.() === 0
  return [true, false].flatMap((isConfined) => [
    ...(asRoot ? [{ isConfined, isStranger: true }] : []),
    { isConfined, isStranger: false },
  ])
}
