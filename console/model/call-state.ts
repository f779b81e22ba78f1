import type { Envelope } from "../../src/contract/envelope/envelope.ts"
import type { CallCard, CallEnd } from "./card.ts"
import { fieldOf, numberOf } from "./read-field.ts"

/** How far a call is, or how it ended. */
export type CallState =
  /** It was sent, and nothing more of it is recorded yet. */
  | { readonly kind: "requested" }
  | { readonly kind: "waiting"; readonly expiresMs: number | null }
  | { readonly kind: "running"; readonly sinceMs: number }
  /** A person has asked for its end. */
  | { readonly kind: "ending"; readonly sinceMs: number }
  | Ended<"ok">
  | (Ended<"exited"> & { readonly exitCode: number })
  | (Ended<"warned"> & { readonly warnings: readonly string[] })
  | Ended<"refused">
  | Ended<"denied">
  | Ended<"invalid">
  | Ended<"timed-out">
  | Ended<"ended-by-person">
  | Ended<"failed">
  | (Ended<"interrupted"> & { readonly isHarmless: boolean })

interface Ended<Kind extends string> {
  readonly kind: Kind
  readonly end: CallEnd
}

export type StateKind = CallState["kind"]

/** What the page knows beside the record. */
export interface CallSurroundings {
  /** The question that is open now about this call. */
  readonly question?: { readonly expires_ms: number | null } | undefined
  /** When somebody at this page asked for its end. */
  readonly endingMs?: number | undefined
}

export function callState(
  { asked, end, isWhole, startedMs }: CallCard,
  { question, endingMs }: CallSurroundings = {},
): CallState {
  if (end) return endedState(end, endingMs !== undefined)
  if (endingMs !== undefined) return { kind: "ending", sinceMs: endingMs }
  const last = asked.at(-1)
  if (question || last?.answer === null) {
    return { kind: "waiting", expiresMs: question?.expires_ms ?? null }
  }
  if (!isWhole) return { kind: "requested" }
  return { kind: "running", sinceMs: last?.answer?.atMs ?? startedMs }
}

function endedState(end: CallEnd, wasAskedToEnd: boolean): CallState {
  const { envelope, interrupted } = end
  if (interrupted !== null) {
    return { kind: "interrupted", end, isHarmless: interrupted === "harmless" }
  }
  if (!envelope.ok) return { kind: failedKind(envelope, wasAskedToEnd), end }
  const { result, warnings = [] } = envelope
  if (fieldOf(result, "killed_by") === "user") return { kind: "ended-by-person", end }
  if (fieldOf(result, "timed_out") === true) return { kind: "timed-out", end }
  const exitCode = numberOf(result, "exit_code")
  if (exitCode !== null && exitCode !== 0) return { kind: "exited", end, exitCode }
  return warnings.length > 0 ? { kind: "warned", end, warnings } : { kind: "ok", end }
}

function failedKind(
  { kind }: Extract<Envelope, { ok: false }>,
  wasAskedToEnd: boolean,
): "refused" | "denied" | "invalid" | "timed-out" | "ended-by-person" | "failed" {
  switch (kind) {
    case "rejected":
      return "refused"
    case "user_denied":
      return "denied"
    case "invalid_args":
    case "tool_not_found":
      return "invalid"
    case "timeout":
      return "timed-out"
    case "execution_error":
    case "not_found":
    case "unavailable":
      return wasAskedToEnd ? "ended-by-person" : "failed"
    default:
      return kind satisfies never
  }
}

/** How long a call runs before it can be ended by hand: most are over by then. */
const terminateAfterMs = 1_000

export function canTerminate(state: CallState, nowMs: number): boolean {
  return state.kind === "running" && nowMs - state.sinceMs >= terminateAfterMs
}

/** In one or two words, for the head of a card. */
export function stateText(state: CallState): string {
  switch (state.kind) {
    case "requested":
      return "requested"
    case "waiting":
      return "waiting for a person"
    case "running":
      return "running"
    case "ending":
      return "ending"
    case "ok":
      return "done"
    case "exited":
      return `exit code ${state.exitCode}`
    case "warned":
      return state.warnings.length === 1
        ? "done, 1 warning"
        : `done, ${state.warnings.length} warnings`
    case "refused":
      return "refused by a rule"
    case "denied":
      return "denied by a person"
    case "invalid":
      return "invalid arguments"
    case "timed-out":
      return "timed out"
    case "ended-by-person":
      return "ended by a person"
    case "failed":
      return "failed"
    case "interrupted":
      return state.isHarmless ? "not run: restarted" : "interrupted by a restart"
    default:
      return state satisfies never
  }
}

export type Tone = "good" | "warn" | "bad" | "busy" | "quiet"

/** How a state looks; the words say the same. */
export const stateTones: Readonly<Record<StateKind, Tone>> = {
  ...{ requested: "busy", waiting: "warn", running: "busy", ending: "busy" },
  ...{ ok: "good", exited: "warn", warned: "warn", refused: "bad", denied: "bad" },
  ...{ invalid: "bad", "timed-out": "bad", "ended-by-person": "quiet", failed: "bad" },
  interrupted: "bad",
}
