import { ToolFailure } from "../../contract/index.ts"
import { workLimits } from "../limits.ts"
import type { SessionWork } from "./session-work.ts"
import { startChild, type WorkKind } from "./start-child.ts"
import { WorkEnded, WorkProcess } from "./work-process.ts"

export interface AskOptions {
  readonly bytes?: Uint8Array | undefined
  readonly signal: AbortSignal
  /** How long the work itself may take, beside waiting for its turn; as long as the call may when absent. */
  readonly ms?: number | undefined
}

export interface WorkResult<Value> {
  readonly value: Value
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * Work on bytes that somebody else chose, in a process of its own: whatever the bytes do to the library
 * that reads them, that process is ended after its time, for its memory, or with this one. It is started
 * by the first request, and kept for a while for the next.
 */
export class Work<Request, Value> {
  readonly #kind: WorkKind
  readonly #session: SessionWork

  constructor(kind: WorkKind, session: SessionWork) {
    this.#kind = kind
    this.#session = session
  }

  async ask(request: Request, options: AskOptions): Promise<WorkResult<Value>> {
    const { pool, closed } = this.#session
    const late = new AbortController()
    const signal = AbortSignal.any([options.signal, closed, late.signal])
    const release = await pool.places.enter(this.#session, signal)
    const { ms } = options
    const timer = ms === undefined ? undefined : setTimeout(() => late.abort(tookTooLong(ms)), ms)
    try {
      return await this.#work(request, options.bytes ?? new Uint8Array(), signal)
    } catch (error) {
      throw error instanceof WorkEnded ? lost(error) : error
    } finally {
      clearTimeout(timer)
      release()
    }
  }

  async #work(request: Request, bytes: Uint8Array, signal: AbortSignal) {
    const { warm } = this.#session.pool
    const process = warm.take(this.#session, this.#kind) ?? (await this.#start(signal))
    try {
      const answer = await process.ask(request, bytes, signal)
      return { value: answer.value as Value, bytes: answer.bytes }
    } finally {
      if (process.isAlive && !this.#session.closed.aborted) {
        warm.put(process, this.#session, this.#kind)
      } else void process.end()
    }
  }

  /** What ends before it was given anything to do can't be started that way. */
  async #start(signal: AbortSignal): Promise<WorkProcess> {
    const { ways } = this.#session.pool
    const starting = AbortSignal.any([signal, AbortSignal.timeout(workLimits.startMs)])
    let reason: unknown
    for (const way of [...ways]) {
      const child = startChild(this.#kind, way)
      try {
        if (!child) throw new Error("there is no bubblewrap")
        const process = new WorkProcess(child)
        await process.ready(starting)
        return process
      } catch (error) {
        starting.throwIfAborted()
        reason = error
      }
      if (ways.length > 1 && ways[0] === way) ways.shift()
    }
    throw unstartable(reason)
  }
}

function tookTooLong(ms: number): ToolFailure {
  const message = `The work took more than ${Math.round(ms / 1000)} seconds and was ended.`
  return new ToolFailure({ kind: "timeout", message, retryable: false })
}

function lost(error: WorkEnded): ToolFailure {
  const message = error.isOutOfMemory
    ? "The work needed more memory than it may use. Try it with less data."
    : error.message
  return new ToolFailure({ kind: "execution_error", message, retryable: false }, { cause: error })
}

function unstartable(error: unknown): ToolFailure {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `No process could be started to do the work: ${reason}`
  return new ToolFailure({ kind: "unavailable", message }, { cause: error })
}
