import type { Workspace } from "../../contract/index.ts"
import { conformanceLimits } from "../limits.ts"
import { requireThat } from "./require.ts"

/** Timers and clocks may disagree by this much about when a moment is over. */
const earlyMs = 5

/** Starts now; the returned function says how many milliseconds have passed. */
export function startStopwatch(): () => number {
  const started = performance.now()
  return () => Math.round(performance.now() - started)
}

/** The first command of a sandbox may start slowly; that is not what deadlines are about. */
export async function warmUp(workspace: Workspace): Promise<void> {
  await workspace.exec("true")
}

/** Requires that something with a deadline ended at it: not before, and not much later. */
export function requireOnTime(
  elapsedMs: number,
  deadlineMs: number,
  lateMs: number = conformanceLimits.lateMs,
): void {
  requireThat(
    elapsedMs >= deadlineMs - earlyMs,
    `ended after ${elapsedMs} ms, before its ${deadlineMs} ms`,
  )
  requireThat(
    elapsedMs <= deadlineMs + lateMs,
    `ended after ${elapsedMs} ms instead of ${deadlineMs} ms`,
  )
}

/** Requires that something without a deadline of its own did not take long. */
export function requireSoon(what: string, elapsedMs: number): void {
  requireThat(elapsedMs < conformanceLimits.lateMs, `${what} took ${elapsedMs} ms`)
}

const deadlines = [500, 3_000]

/**
 * Runs with a short deadline, and with a longer one when the command had not got far enough: a machine
 * that is busy starts commands slowly, and that breaks no promise.
 */
export async function withGrowingDeadline(
  attempt: (timeoutMs: number) => Promise<boolean>,
): Promise<void> {
  for (const timeoutMs of deadlines) {
    if (await attempt(timeoutMs)) return
  }
}
