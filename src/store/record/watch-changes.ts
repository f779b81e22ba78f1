import { recordLimits } from "../limits.ts"

/** Tells when a file may have changed, by this process or by another. */
export interface Watch {
  /** This process has changed it. */
  changed(): void
  /** Once at the start and after each change, several of which may be one; until the signal aborts or this is closed. */
  changes(signal?: AbortSignal): AsyncIterable<void>
  close(): void
}

/** `version` is another number after another process has changed the file. */
export function createWatch(version: () => number): Watch {
  const waiting = new Set<() => void>()
  let isClosed = false
  let seen = 0
  let timer: NodeJS.Timeout | undefined

  const wakeAll = () => {
    for (const wake of waiting) wake()
  }
  const look = () => {
    const now = versionNow()
    if (now === seen) return
    seen = now
    wakeAll()
  }
  /** Readers are also woken when something is wrong with the file: their next read fails with it. */
  const versionNow = () => {
    try {
      return version()
    } catch {
      return -1
    }
  }
  /** Looks only while somebody waits. */
  const setTimer = () => {
    const isWanted = waiting.size > 0 && !isClosed
    if (isWanted) timer ??= setInterval(look, recordLimits.lookMs)
    if (isWanted) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    changed: wakeAll,
    async *changes(signal) {
      let isStale = true
      let resume = () => {}
      const wake = () => {
        isStale = true
        resume()
      }
      waiting.add(wake)
      signal?.addEventListener("abort", wake)
      seen = isClosed ? seen : versionNow()
      setTimer()
      try {
        while (!signal?.aborted && !isClosed) {
          if (isStale) {
            isStale = false
            yield
          } else {
            const woken = Promise.withResolvers<void>()
            resume = woken.resolve
            await woken.promise
          }
        }
      } finally {
        waiting.delete(wake)
        signal?.removeEventListener("abort", wake)
        setTimer()
      }
    },
    close() {
      isClosed = true
      setTimer()
      wakeAll()
    },
  }
}
