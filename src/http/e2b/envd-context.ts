import type { Clock } from "../../kit/index.ts"
import type { UsableSandbox } from "../sandbox-api/api-sandboxes.ts"
import { ConnectError } from "./connect/connect-error.ts"

/** One request about a sandbox. */
export interface EnvdContext {
  readonly sandbox: UsableSandbox
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** How long the client waits; null for as long as it takes. */
  readonly timeoutMs: number | null
}

/** Aborts too when the client's time is over, which ends what it hears and nothing else. */
export function lateSignal(
  { signal, timeoutMs }: Pick<EnvdContext, "signal" | "timeoutMs">,
  clock: Clock,
) {
  const late = new AbortController()
  const cancel = timeoutMs === null ? () => {} : clock.after(timeoutMs, () => late.abort())
  return {
    signal: AbortSignal.any([signal, late.signal]),
    cancel,
    throwIfLate() {
      if (late.signal.aborted) throw new ConnectError("deadline_exceeded", "The time is over.")
    },
  }
}
