import { type Clock, systemClock } from "../../src/kit/index.ts"

export interface HeldClock extends Clock {
  /** From now on time passes, also for what was to be called back before. */
  readonly start: () => void
}

/**
 * Real time that a test lets begin: a deadline runs only from when its command has done what it was started for,
 * however long a busy machine took to start it.
 */
export function heldClock(): HeldClock {
  const held = new Set<() => void>()
  let isHeld = true
  return {
    now: systemClock.now,
    after(milliseconds, callback, urgency) {
      let cancel = () => {}
      const begin = () => {
        cancel = systemClock.after(milliseconds, callback, urgency)
      }
      if (isHeld) held.add(begin)
      else begin()
      return () => {
        held.delete(begin)
        cancel()
      }
    },
    start() {
      isHeld = false
      for (const begin of held) begin()
      held.clear()
    },
  }
}
