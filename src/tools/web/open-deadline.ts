export interface Deadline extends Disposable {
  /** Aborts when the time is over or the caller gives up. */
  readonly signal: AbortSignal
  readonly isOver: () => boolean
}

/** A time of its own within a call's. */
export function openDeadline(ms: number, caller: AbortSignal): Deadline {
  const ended = new AbortController()
  let over = false
  const timer = setTimeout(() => {
    over = true
    ended.abort(new Error("The time is over."))
  }, ms)
  const abort = () => ended.abort(caller.reason)
  caller.addEventListener("abort", abort)
  if (caller.aborted) abort()
  return {
    signal: ended.signal,
    isOver: () => over,
    [Symbol.dispose]() {
      clearTimeout(timer)
      caller.removeEventListener("abort", abort)
    },
  }
}
