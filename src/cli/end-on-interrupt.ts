import type { RunningCall } from "../runtime/index.ts"
import { onStop } from "./stop-signal.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Ctrl-C ends the work inside the sandbox, and the call still answers with what it has; a second
 * one does not wait for that. Returns whether it happened.
 */
export function endOnInterrupt(calls: Iterable<RunningCall>, terminal: Terminal): () => boolean {
  let interrupted = false
  onStop(() => {
    interrupted = true
    terminal.note("\ntoolkeep: ending the call; once more to leave at once\n")
    for (const call of calls) call.terminate()
  })
  return () => interrupted
}
