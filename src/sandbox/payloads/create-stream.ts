import type { OperationControl } from "../host/operation.ts"
import type { Dispatcher } from "./dispatcher.ts"
import type { Payload, PayloadResults } from "./payload.ts"

/** A line of work in a sandbox: one payload after the other. Several streams go on at the same time. */
export interface PayloadStream {
  /** Done after everything submitted before it, however that ended. */
  submit<Kind extends Payload["kind"]>(
    payload: Extract<Payload, { kind: Kind }>,
    control?: Partial<OperationControl>,
  ): Promise<PayloadResults[Kind]>
  /** The place after everything submitted so far. */
  record(): StreamEvent
  /** What is submitted from now on waits until that place, of any stream, is reached. */
  wait(event: StreamEvent): void
}

/** A place in a stream. Recorded before it is waited for, so streams can't wait for each other in a circle. */
export interface StreamEvent {
  readonly reached: Promise<void>
}

export function createStream({ dispatch }: Dispatcher): PayloadStream {
  let last: Promise<unknown> = Promise.resolve()

  return {
    submit(payload, control = {}) {
      const turn = last
      const work = turn.then(() => dispatch(payload, control))
      last = work.catch(() => {})
      return orAborted(work, control.signal)
    },
    record() {
      return { reached: last.then(() => {}) }
    },
    wait({ reached }) {
      last = Promise.all([last, reached])
    },
  }
}

/** Who gives up does not wait for the turn; what has started ends by the same signal. */
function orAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
