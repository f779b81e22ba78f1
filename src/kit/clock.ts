/** Time as a dependency, so that tests can hold it still. */
export interface Clock {
  now(): number
  /** Calls back once after `milliseconds`; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void
}

/** setTimeout fires at once when asked to wait longer than this. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number) => {
      timer =
        left > longestTimer
          ? setTimeout(() => wait(left - longestTimer), longestTimer)
          : setTimeout(callback, Math.max(0, left))
    }
    wait(milliseconds)
    return () => clearTimeout(timer)
  },
}
