import type { Envelope } from "../../contract/index.ts"
import type { AnswerForm, ApprovalAnswer, RecordedCall } from "../../runtime/index.ts"
import type { RecordedEffects } from "../effects/recorded-effects.ts"
import type { StoredOutput } from "./read-output.ts"

/** What the entries about calls say. Their names are those of the record's files and of exports. */
export interface CallEntries {
  /** A call as it was sent, what was repaired in it, and what the policy said. */
  readonly call: {
    readonly call: string
    readonly tool: string
    readonly input: unknown
    /** What runs, where it is not what was sent. */
    readonly checked?: unknown
    readonly repairs?: readonly string[] | undefined
    readonly verdict?: unknown
    readonly agent?: string | undefined
    readonly provider?: string | undefined
    readonly sandbox?: string | undefined
    readonly cwd?: string | undefined
    /** What its caller finds it by. */
    readonly origin?: unknown
    /** Of a call with an origin: whether its tool only reads, so that it can be run again. */
    readonly reads?: true | undefined
    /** How an MCP client gets the answer: what it gets is made from the envelope. */
    readonly answer_form?: AnswerForm | undefined
  }
  readonly question: {
    readonly call: string
    readonly prompt: string
    readonly text: string
    readonly fingerprint: string
  }
  readonly answer: { readonly call: string; readonly answer: ApprovalAnswer }
  /** How much a call had printed at that time. What it printed is read apart. */
  readonly "call-printed": { readonly call: string; readonly bytes: number }
  /** What a call did in its sandbox, before its envelope. Texts of files are stored apart. */
  readonly "call-effects": RecordedEffects & { readonly call: string }
  readonly envelope: {
    readonly call: string
    readonly envelope: Envelope
    readonly duration_ms: number
    /** An output that is too long for the envelope. */
    readonly output?: StoredOutput
    /** Where the process ended first: whether the call has done nothing and can be run again, or nobody knows. */
    readonly interrupted?: "harmless" | "unknown"
  }
}

/** The key of a call that has begun and has no answer yet. */
export function callKey(call: string): string {
  return `call:${call}`
}

/** What is absent is undefined here and not in the record: to leave it out by hand costs a microsecond (bench: session-recorded-mcp). */
export function callBody(call: RecordedCall): CallEntries["call"] {
  const { checked, origin } = call
  return {
    call: call.id,
    tool: call.tool,
    input: call.sent ?? null,
    checked: checked?.input,
    repairs: checked?.repairs.length ? checked.repairs : undefined,
    verdict: call.verdict ?? undefined,
    agent: call.agent,
    provider: call.provider,
    sandbox: call.sandbox,
    cwd: call.cwd,
    origin,
    reads: origin !== undefined && call.reads ? true : undefined,
    answer_form: call.answerForm,
  }
}
