import type { RunningCall } from "../runtime/index.ts"
import type { Terminal } from "./terminal.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Ctrl-C ends the work inside the sandbox, and the call still answers with what it has; a second
 * one does not wait for that. Returns whether it happened.
 */
export function endOnInterrupt(calls: Iterable<RunningCall>, terminal: Terminal): () => boolean {
  let interrupted = false
  const onSignal = () => {
    if (interrupted) process.exit(130)
    interrupted = true
    terminal.note("\ntoolkeep: ending the call; once more to leave at once\n")
    for (const call of calls) call.terminate()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return () => interrupted
}
