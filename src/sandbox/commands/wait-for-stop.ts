import type { Clock } from "../../kit/index.ts"
import type { CommandOutcome, CommandRun } from "../host/operation.ts"
import { sandboxLimits } from "../limits.ts"
import type { CommandOutput } from "./command-output.ts"

/** Why a command is over, or has to be. */
export type Stop =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "idle"; readonly afterMs: number }
  | { readonly kind: "aborted" }
  /** The sandbox is being destroyed. */
  | { readonly kind: "closed" }
  /** The receiver of the output threw. */
  | { readonly kind: "broken"; readonly error: unknown }

export interface Watched {
  readonly operation: CommandRun
  readonly signal: AbortSignal
  readonly leader: { readonly exited: Promise<number> }
  readonly output: CommandOutput
  readonly scope: { readonly closing: AbortSignal; readonly clock: Clock }
}

/** The first reason wins. */
export function waitForStop({ operation, signal, leader, output, scope }: Watched): Promise<Stop> {
  const undo: (() => void)[] = []
  const { timeoutMs, idleTimeoutMs } = operation
  const stopped = new Promise<Stop>((stop) => {
    leader.exited.then((exitCode) => stop({ kind: "exited", exitCode }))
    output.broken.then((error) => stop({ kind: "broken", error }))
    undo.push(onAbort(signal, () => stop({ kind: "aborted" })))
    undo.push(onAbort(scope.closing, () => stop({ kind: "closed" })))
    if (timeoutMs !== null) {
      const tooLong = () => stop({ kind: "timed-out", afterMs: timeoutMs })
      undo.push(afterEvents(scope.clock, timeoutMs, tooLong))
    }
    if (idleTimeoutMs !== null) {
      const tooQuiet = () => stop({ kind: "idle", afterMs: idleTimeoutMs })
      const restart = () => afterEvents(scope.clock, idleTimeoutMs, tooQuiet)
      let cancel = restart()
      output.onArrival(() => {
        cancel()
        cancel = restart()
      })
      undo.push(() => {
        output.onArrival(() => {})
        cancel()
      })
    }
  })
  return stopped.finally(() => {
    for (const each of undo) each()
  })
}

function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback()
  signal.addEventListener("abort", callback, { once: true })
  return () => signal.removeEventListener("abort", callback)
}

const timeoutExitCode = 124
/** What a shell reports for a process that SIGTERM ended. */
const abortedExitCode = 143

/** What a command answers that stopped for this reason; throws what is not its own answer. */
export function outcomeOf(
  stop: Stop,
  captured: Pick<CommandOutcome, "stdout" | "stderr">,
  closing: AbortSignal,
): CommandOutcome {
  switch (stop.kind) {
    case "exited":
      return { exitCode: stop.exitCode, ...captured, ending: { kind: "exited" } }
    case "timed-out":
    case "idle":
      return { exitCode: timeoutExitCode, ...captured, ending: stop }
    case "aborted":
      return { exitCode: abortedExitCode, ...captured, ending: stop }
    case "broken":
      throw stop.error
    case "closed":
      throw closing.reason
    default:
      return stop satisfies never
  }
}

/**
 * Calls back after a time, once what has happened by then has been delivered. When the event loop was
 * blocked, timers run before anything else and would overlook an exit or a byte that came in time.
 */
export function afterEvents(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined
  const cancel = clock.after(milliseconds, () => {
    immediate = setImmediate(callback)
  })
  return () => {
    cancel()
    clearImmediate(immediate)
  }
}

/**
 * What was written before a command's exit is still read. Resolves with whether every writer has closed
 * its output; one that holds it open longer is not waited for.
 */
export async function waitForDrain(output: CommandOutput, clock: Clock): Promise<boolean> {
  const passed = Promise.withResolvers<false>()
  let cancel = () => {}
  const wait = () => {
    // A slow reader gets all there is: only a writer that stays is not waited for.
    const tooLong = () => (output.isHeldBack ? wait() : passed.resolve(false))
    cancel = afterEvents(clock, sandboxLimits.drainMs, tooLong)
  }
  wait()
  const isClosed = await Promise.race([output.closed.then(() => true), passed.promise])
  cancel()
  return isClosed
}
