import type { Clock } from "../../kit/index.ts"

/**
 * Calls back after a time, once what has happened by then has been delivered. When the event loop was
 * blocked, timers run before anything else and would overlook an exit or a byte that came in time.
 */
export function afterEvents(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined
  const cancel = clock.after(milliseconds, () => {
    immediate = setImmediate(callback)
  })
  return () => {
    cancel()
    clearImmediate(immediate)
  }
}
