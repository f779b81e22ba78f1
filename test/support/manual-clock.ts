import type { Clock } from "../../src/kit/index.ts"

export interface ManualClock extends Clock {
  /** Lets so much time pass, with everything that is due in it. */
  readonly advance: (milliseconds: number) => void
}

/** Time passes only when a test says so. */
export function manualClock(): ManualClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  let now = 0
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      const end = now + milliseconds
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        now = next.at
        next.callback()
      }
      now = end
    },
  }
}
