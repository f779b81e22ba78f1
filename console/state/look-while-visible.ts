/**
 * Looks at once, and again so long after each look has ended, until the returned function is called. In a tab that can't
 * be seen nothing is looked at.
 */
export function lookWhileVisible(
  look: (signal: AbortSignal) => Promise<void>,
  pauseMs: number,
): () => void {
  const ended = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLooking = false
  async function lookNow(): Promise<void> {
    clearTimeout(timer)
    if (isLooking || document.hidden) return
    isLooking = true
    // What can't be read now is tried again.
    await look(ended.signal).catch(() => {})
    isLooking = false
    if (!ended.signal.aborted && !document.hidden) timer = setTimeout(lookNow, pauseMs)
  }
  document.addEventListener("visibilitychange", lookNow, ended)
  void lookNow()
  return () => {
    ended.abort()
    clearTimeout(timer)
  }
}
