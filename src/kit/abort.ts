import { type Clock, systemClock } from "./clock.ts"

/** Calls back once when the signal aborts, at once if it already has. The returned function stops listening. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted) callback()
  else signal?.addEventListener("abort", callback, { once: true })
  return () => signal?.removeEventListener("abort", callback)
}

/** The promise, or the signal's reason as soon as it aborts. What the promise does afterwards is ignored. */
export async function withAbort<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const stopListening = onAbort(signal, () => aborted.reject(signal?.reason))
  try {
    return await Promise.race([aborted.promise, promise])
  } finally {
    stopListening()
  }
}

export interface TimeoutOptions<Fallback> {
  /** What to answer when the time is over; it may throw. */
  readonly otherwise: () => Fallback
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock
}

/**
 * The promise, or what `otherwise` answers after `milliseconds`, or the reason of an aborted signal. What the
 * promise does afterwards is ignored.
 */
export async function withTimeout<Value, Fallback>(
  promise: Promise<Value>,
  milliseconds: number,
  { otherwise, signal, clock = systemClock }: TimeoutOptions<Fallback>,
): Promise<Value | Fallback> {
  const late = Promise.withResolvers<typeof isLate>()
  const cancel = clock.after(milliseconds, () => late.resolve(isLate))
  try {
    const first = await withAbort(Promise.race([promise, late.promise]), signal)
    return first === isLate ? otherwise() : first
  } finally {
    cancel()
  }
}

const isLate = Symbol("late")

/** Waits, and rejects with the reason of a signal that aborts before. */
export async function sleep(
  milliseconds: number,
  { signal, clock = systemClock }: { readonly signal?: AbortSignal; readonly clock?: Clock } = {},
): Promise<void> {
  const slept = Promise.withResolvers<void>()
  const cancel = clock.after(milliseconds, slept.resolve)
  try {
    await withAbort(slept.promise, signal)
  } finally {
    cancel()
  }
}

export interface Deadline extends Disposable {
  /** Aborts when the time is over, with the reason that was given, and when the caller's signal does. */
  readonly signal: AbortSignal
  /** Whether it was the time that ended it. */
  isOver(): boolean
}

export interface DeadlineOptions {
  /** The caller's own. */
  readonly signal?: AbortSignal | undefined
  /** What the signal aborts with when the time is over. */
  readonly reason?: () => unknown
  readonly clock?: Clock
}

/** A signal for work that may take `milliseconds`, or any time when that is null. Disposed of, it stays as it is. */
export function createDeadline(
  milliseconds: number | null,
  { signal, reason = timeIsOver, clock = systemClock }: DeadlineOptions = {},
): Deadline {
  const controller = new AbortController()
  let isOver = false
  const end = () => {
    if (controller.signal.aborted) return
    isOver = true
    controller.abort(reason())
  }
  const cancel = milliseconds === null ? () => {} : clock.after(milliseconds, end)
  const stopListening = onAbort(signal, () => controller.abort(signal?.reason))
  return {
    signal: controller.signal,
    isOver: () => isOver,
    [Symbol.dispose]() {
      cancel()
      stopListening()
    },
  }
}

function timeIsOver(): Error {
  return new Error("The time is over.")
}
