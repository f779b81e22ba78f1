import type { CallEffects, Envelope } from "../../contract/index.ts"
import type { ApprovalAnswer, RecordedCall } from "../../runtime/index.ts"

/** What the entries about calls say. Their names are those of the record's files and of exports. */
export interface CallEntries {
  /** A call as it was sent, what was repaired in it, and what the policy said. */
  readonly call: {
    readonly call: string
    readonly tool: string
    readonly input: unknown
    /** What runs, where it is not what was sent. */
    readonly checked?: unknown
    readonly repairs?: readonly string[]
    readonly verdict?: unknown
    readonly agent?: string
    readonly provider?: string
    readonly sandbox?: string
    readonly cwd?: string
    /** What its caller finds it by. */
    readonly origin?: unknown
    /** Of a call with an origin: whether its tool only reads, so that it can be run again. */
    readonly reads?: true
  }
  readonly question: {
    readonly call: string
    readonly prompt: string
    readonly text: string
    readonly fingerprint: string
  }
  readonly answer: { readonly call: string; readonly answer: ApprovalAnswer }
  /** What a call did in its sandbox, before its envelope. */
  readonly "call-effects": CallEffects & { readonly call: string }
  readonly envelope: {
    readonly call: string
    readonly envelope: Envelope
    readonly duration_ms: number
    /** Where the process ended first: whether the call has done nothing and can be run again, or nobody knows. */
    readonly interrupted?: "harmless" | "unknown"
  }
}

/** The key of a call that has begun and has no answer yet. */
export function callKey(call: string): string {
  return `call:${call}`
}

export function callBody(call: RecordedCall): CallEntries["call"] {
  const { id, tool, sent, checked, verdict, agent, provider, sandbox, cwd, origin, reads } = call
  return {
    call: id,
    tool,
    input: sent ?? null,
    ...(checked && { checked: checked.input }),
    ...(checked?.repairs.length && { repairs: checked.repairs }),
    ...(verdict && { verdict }),
    ...(agent !== undefined && { agent }),
    ...(provider !== undefined && { provider }),
    ...(sandbox !== undefined && { sandbox }),
    ...(cwd !== undefined && { cwd }),
    ...(origin !== undefined && { origin, ...(reads && { reads }) }),
  }
}
