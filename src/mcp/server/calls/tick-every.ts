interface Ticking {
  readonly tick: () => void
  lastMs: number
}

const intervals = new Map<number, Set<Ticking>>()

/**
 * Calls back every so often until the returned function is called. All who ask for the same interval share
 * a timer: most calls are over long before their first tick, and one of their own costs more than their work.
 */
export function tickEvery(everyMs: number, tick: () => void): () => void {
  const ticking: Ticking = { tick, lastMs: performance.now() }
  const shared = intervals.get(everyMs) ?? startTimer(everyMs)
  shared.add(ticking)
  return () => shared.delete(ticking)
}

function startTimer(everyMs: number): Set<Ticking> {
  const all = new Set<Ticking>()
  intervals.set(everyMs, all)
  // Twice as often, so that nobody waits longer than an interval; who has just begun is left in peace.
  const timer = setInterval(() => {
    const now = performance.now()
    for (const one of all) {
      if (now - one.lastMs < everyMs / 2) continue
      one.lastMs = now
      one.tick()
    }
    if (all.size > 0) return
    clearInterval(timer)
    intervals.delete(everyMs)
  }, everyMs / 2)
  timer.unref()
  return all
}
