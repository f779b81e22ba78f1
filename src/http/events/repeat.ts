import type { Clock } from "../../kit/index.ts"

/** Does something again and again, each time so long after the last one was done, until the returned function is called. */
export function repeat(clock: Clock, pauseMs: number, work: () => Promise<void>): () => void {
  let isOver = false
  let cancel = () => {}
  const next = () => {
    cancel = clock.after(pauseMs, async () => {
      await work().catch(() => {})
      if (!isOver) next()
    })
  }
  next()
  return () => {
    isOver = true
    cancel()
  }
}
