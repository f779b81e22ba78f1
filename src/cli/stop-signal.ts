import { limits } from "../contract/index.ts"
import type { RunningCall } from "../runtime/index.ts"
import type { Terminal } from "./output/terminal.ts"

/** The process exits this long after its calls were ended, even if something still runs. */
const leaveMs = 2_000

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Calls back when the process is asked to stop; asked again, it exits at once. */
function onStop(stop: () => void): void {
  let isStopping = false
  const onSignal = () => {
    if (isStopping) process.exit(130)
    isStopping = true
    leaveLater()
    stop()
  }
  for (const signal of signals) process.on(signal, onSignal)
}

/** Aborts when the process is asked to stop; asked again, it exits at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  onStop(() => stopping.abort())
  return stopping.signal
}

/**
 * Whatever holds on then, it is left behind: sandboxes, browsers and work end with this process, and the next
 * one removes their files. Killed, because an exit waits for what a thread of the system's is at.
 */
function leaveLater(): void {
  const leave = () => process.kill(process.pid, "SIGKILL")
  setTimeout(leave, limits.stopMs + leaveMs).unref()
}

/**
 * Ctrl-C ends the work inside the sandbox, and the call still answers with what it has; a second
 * one does not wait for that. Returns whether it happened.
 */
export function endOnInterrupt(calls: Iterable<RunningCall>, terminal: Terminal): () => boolean {
  let interrupted = false
  onStop(() => {
    interrupted = true
    terminal.note("\ntoolkeep: stopping the call; press again to exit at once\n")
    for (const call of calls) call.terminate()
  })
  return () => interrupted
}
