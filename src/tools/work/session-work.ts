import { ToolFailure } from "../../contract/index.ts"
import { WarmProcesses } from "./warm-processes.ts"
import { WorkPlaces } from "./work-places.ts"

/** What the sessions of one Toolkeep share: how many processes work for them, and whose turn it is. */
export interface WorkPool {
  readonly places: WorkPlaces
  readonly warm: WarmProcesses
  /** How processes are started here, the best first, without those that turned out not to work. */
  readonly ways: Way[]
}

/** How much of this machine the process sees. */
export interface Way {
  /** Behind a wall: without files, network and other processes. */
  readonly isConfined: boolean
  /** As a user whom this machine knows nothing of. */
  readonly isStranger: boolean
}

export interface WorkProgram {
  /** What `answerRequests` is called in. */
  readonly file: URL
  readonly memoryBytes: number
}

/** One kind of work, which has a process of its own. */
export interface WorkKind<Request, Value> extends WorkProgram {
  /** For the compiler only: what it is asked, and what it answers. */
  readonly types?: { readonly request: Request; readonly value: Value }
}

export interface WorkOptions {
  readonly bytes?: Uint8Array | undefined
  readonly signal: AbortSignal
  /** How long the work itself may take, beside waiting for its turn; as long as the call may when absent. */
  readonly ms?: number | undefined
}

export interface WorkResult<Value> {
  readonly value: Value
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The work of one session, which ends with it. */
export interface SessionWork {
  readonly pool: WorkPool
  /** Whose session it is: all of one owner's share what an owner may have at once. */
  readonly owner: string
  readonly closed: AbortSignal
  /**
   * Has work done on bytes that somebody else chose, in a process of its own: whatever the bytes do to the library
   * that reads them, that process is ended after its time, for its memory, or with this one.
   */
  ask<Request, Value>(
    kind: WorkKind<Request, Value>,
    request: Request,
    options: WorkOptions,
  ): Promise<WorkResult<Value>>
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
  const work: SessionWork = {
    ...{ pool, owner, closed: closing.signal },
    async ask(kind, request, options) {
      const { doWork } = await import("./do-work.ts")
      return doWork(work, { ...options, kind, request })
    },
  }
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
