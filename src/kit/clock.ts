/** Time as a dependency, so that tests can hold it still. */
export interface Clock {
  now(): number
  /**
   * Calls back once after `milliseconds`; the returned function cancels. A program does not stay for
   * what is only `idle` work.
   */
  after(milliseconds: number, callback: () => void, urgency?: "idle"): () => void
}

/** setTimeout fires at once when asked to wait longer than this. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback, urgency) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number) => {
      timer =
        left > longestTimer
          ? setTimeout(() => wait(left - longestTimer), longestTimer)
          : setTimeout(callback, Math.max(0, left))
      // Browsers have numbers for timers, and no process that could stay.
      if (urgency === "idle" && typeof timer === "object") timer.unref()
    }
    wait(milliseconds)
    return () => clearTimeout(timer)
  },
}
