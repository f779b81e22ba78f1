import { withAbort } from "../../kit/index.ts"
import type { Dispatch } from "./payload.ts"

/** A line of work in a sandbox: one payload after the other. Several streams go on at the same time. */
export interface PayloadStream {
  /** Done after everything submitted before it, however that ended. */
  readonly submit: Dispatch
  /** The place after everything submitted so far. */
  record(): StreamEvent
  /** What is submitted from now on waits until that place, of any stream, is reached. */
  wait(event: StreamEvent): void
}

/** A place in a stream. Recorded before it is waited for, so streams can't wait for each other in a circle. */
export interface StreamEvent {
  readonly reached: Promise<void>
}

export function createStream(dispatch: Dispatch): PayloadStream {
  let last: Promise<unknown> = Promise.resolve()

  return {
    submit(payload, options = {}) {
      const work = last.then(() => dispatch(payload, options))
      last = work.catch(() => {})
      // A caller that gives up does not wait for its turn; what has started ends by the same signal.
      return withAbort(work, options.signal)
    },
    record() {
      return { reached: last.then(() => {}) }
    },
    wait({ reached }) {
      last = Promise.all([last, reached])
    },
  }
}
