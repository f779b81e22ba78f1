import { limits } from "../../contract/index.ts"

/** The process exits this long after its calls were ended, even if something still runs. */
const leaveMs = 2_000

interface Interrupts {
  /** Ends the running calls; returns how many that were. */
  readonly endCalls: () => number
  readonly endRun: () => void
  readonly note: (text: string) => void
}

/**
 * Ctrl-C ends the running calls, and the run continues. Pressed again before another call has started, it ends the run.
 * A third time, it exits at once. Other signals end the run. Call the returned function when a call starts.
 */
export function onInterrupt({ endCalls, endRun, note }: Interrupts): () => void {
  let presses = 0
  let isEnding = false
  const end = () => {
    if (isEnding) process.exit(130)
    isEnding = true
    note("toolkeep: ending the run; press Ctrl-C again to exit at once\n")
    setTimeout(() => process.exit(130), limits.stopMs + leaveMs).unref()
    endRun()
  }
  process.on("SIGINT", () => {
    presses += 1
    if (presses > 1 || isEnding) return end()
    const count = endCalls()
    const what = count === 0 ? "no call is running" : "ending the running calls"
    note(`toolkeep: ${what}; press Ctrl-C again to end the run\n`)
  })
  process.on("SIGTERM", end)
  process.on("SIGHUP", end)
  return () => {
    presses = 0
  }
}
