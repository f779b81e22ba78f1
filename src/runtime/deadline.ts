import type { Clock } from "../kit/index.ts"

/** Why a call's signal was aborted. */
export type Ending =
  | { readonly kind: "deadline"; readonly afterMs: number }
  | { readonly kind: "caller"; readonly reason: unknown }
  | { readonly kind: "person" }

export interface Deadline {
  readonly signal: AbortSignal
  readonly terminated: AbortSignal
  /** Set once the signal is aborted. */
  readonly ending: () => Ending | null
  /** Resolves when the signal is aborted, and costs a tenth of listening to that. */
  readonly ended: Promise<void>
  /** Starts the clock: time spent waiting for a person does not count. */
  readonly start: (timeoutMs: number | null) => void
  readonly terminate: () => void
  readonly cancel: (reason: unknown) => void
  readonly close: () => void
}

/**
 * One signal out of three causes: time, the caller, and a person. The first of them counts. Signals are made
 * when a tool asks for them, which most quick ones never do.
 */
export function createDeadline(clock: Clock, signal: AbortSignal | undefined): Deadline {
  const work = new AbortController()
  const person = new AbortController()
  const ended = Promise.withResolvers<void>()
  let ending: Ending | null = null
  const end = (cause: Ending, reason: unknown) => {
    if (ending) return
    ending = cause
    if (cause.kind === "person") person.abort(reason)
    work.abort(reason)
    ended.resolve()
  }

  const cancel = (reason: unknown) => end({ kind: "caller", reason }, reason)
  const onAbort = () => cancel(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener("abort", onAbort, { once: true })
  let cancelTimer = () => {}

  return {
    get signal() {
      return work.signal
    },
    get terminated() {
      return person.signal
    },
    ending: () => ending,
    ended: ended.promise,
    start: (timeoutMs) => {
      if (timeoutMs === null) return
      cancelTimer = clock.after(timeoutMs, () => {
        const reason = new DOMException(`The deadline of ${timeoutMs} ms passed.`, "TimeoutError")
        end({ kind: "deadline", afterMs: timeoutMs }, reason)
      })
    },
    terminate: () =>
      end({ kind: "person" }, new DOMException("A person ended the call.", "AbortError")),
    cancel,
    close: () => {
      cancelTimer()
      signal?.removeEventListener("abort", onAbort)
    },
  }
}
