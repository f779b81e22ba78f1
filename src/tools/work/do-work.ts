import { ToolFailure } from "../../contract/index.ts"
import { createDeadline, errorText } from "../../kit/index.ts"
import { workLimits } from "../limits.ts"
import type { SessionWork, WorkKind, WorkOptions, WorkProgram, WorkResult } from "./session-work.ts"
import { startChild } from "./start-child.ts"
import { WorkEnded, WorkProcess } from "./work-process.ts"

interface Task<Request, Value> extends WorkOptions {
  readonly kind: WorkKind<Request, Value>
  readonly request: Request
}

/** Waits for its turn, then asks a process: one that this session has warm, or else a new one. */
export async function doWork<Request, Value>(
  session: SessionWork,
  task: Task<Request, Value>,
): Promise<WorkResult<Value>> {
  const { ms = null } = task
  const waiting = AbortSignal.any([task.signal, session.closed])
  const release = await session.pool.places.enter(session, waiting)
  using deadline = createDeadline(ms, { signal: waiting, reason: () => tookTooLong(ms ?? 0) })
  try {
    return await askProcess(session, { ...task, signal: deadline.signal })
  } catch (error) {
    throw error instanceof WorkEnded ? lost(error) : error
  } finally {
    release()
  }
}

async function askProcess<Request, Value>(session: SessionWork, task: Task<Request, Value>) {
  const { kind, request, signal, bytes = new Uint8Array() } = task
  const { warm } = session.pool
  const process = warm.take(session, kind) ?? (await startProcess(session, kind, signal))
  try {
    const answer = await process.ask(request, bytes, signal)
    return { value: answer.value as Value, bytes: answer.bytes }
  } finally {
    if (process.isAlive && !session.closed.aborted) warm.put(process, session, kind)
    else void process.end()
  }
}

/** What ends before it was given anything to do can't be started that way. */
async function startProcess(
  { pool: { ways } }: SessionWork,
  program: WorkProgram,
  signal: AbortSignal,
): Promise<WorkProcess> {
  const starting = AbortSignal.any([signal, AbortSignal.timeout(workLimits.startMs)])
  let reason: unknown
  for (const way of [...ways]) {
    const child = startChild(program, way)
    try {
      if (!child) throw new Error("bubblewrap is not installed")
      const process = new WorkProcess(child)
      await process.ready(starting)
      return process
    } catch (error) {
      starting.throwIfAborted()
      reason = error
    }
    if (ways.length > 1 && ways[0] === way) ways.shift()
  }
  const message = `No process could be started to do the work: ${errorText(reason)}`
  throw new ToolFailure({ kind: "unavailable", message }, { cause: reason })
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
