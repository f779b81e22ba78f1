/** Who waits for this one waits for a change of any session: their numbers begin with 1. */
export const anySession = 0

/** Tells when a session may have changed, by this process or by another. */
export interface Watch {
  /** This process has changed what is about this session, or about any. */
  changed(session?: number): void
  /**
   * Once at the start and after each change that may be about this session, several of which may be one; until the
   * signal aborts or this is closed.
   */
  changes(session: number, signal?: AbortSignal): AsyncIterable<void>
  close(): void
}

export interface WatchOptions {
  readonly everyMs: number
  /**
   * Looks for what other processes have changed, and wakes those that wait for it, of one session or of all. Called when
   * somebody begins to wait, and again and again while somebody waits.
   */
  readonly look: (waiting: readonly number[], wake: (session?: number) => void) => void
}

export function createWatch({ everyMs, look }: WatchOptions): Watch {
  /** By session: a change of one does not wake those of all others (bench: streams-calls). */
  const waiting = new Map<number, Set<() => void>>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const wake = (session?: number) => {
    const sessions = session === undefined ? [...waiting.keys()] : [session, anySession]
    for (const one of sessions) for (const resume of waiting.get(one) ?? []) resume()
  }
  const lookNow = () => {
    if (!isClosed) look([...waiting.keys()], wake)
  }
  /** Looks only while somebody waits. */
  const setTimer = () => {
    const isWanted = waiting.size > 0 && !isClosed
    if (isWanted) timer ??= setInterval(lookNow, everyMs)
    if (isWanted) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    changed: wake,
    async *changes(session, signal) {
      let isStale = true
      let resume = () => {}
      const wakeThis = () => {
        isStale = true
        resume()
      }
      const together = waiting.get(session) ?? new Set()
      waiting.set(session, together.add(wakeThis))
      signal?.addEventListener("abort", wakeThis)
      // What was changed before this one reads is new to the others that wait.
      lookNow()
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
        together.delete(wakeThis)
        if (together.size === 0) waiting.delete(session)
        signal?.removeEventListener("abort", wakeThis)
        setTimer()
      }
    },
    close() {
      isClosed = true
      setTimer()
      wake()
    },
  }
}
