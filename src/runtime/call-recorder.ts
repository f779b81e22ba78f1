import type { CallEffects, Envelope, OutputChunk, Tool } from "../contract/index.ts"
import type { Verdict } from "../policy/index.ts"
import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts"
import type { AnswerForm } from "./call-request.ts"

/** What is known of a call so far. */
export interface RecordedCall extends Readonly<CallFacts> {
  readonly id: string
  readonly tool: string
  readonly agent?: string | undefined
  readonly provider?: string | undefined
  readonly sandbox?: string | undefined
  readonly cwd?: string | undefined
  readonly origin?: unknown
  readonly answerForm?: AnswerForm | undefined
}

/** What a call's way through the runtime adds to that. */
export interface CallFacts {
  /** The input as it was sent. */
  sent: unknown
  /** The input that runs where it is not what was sent, and what was repaired for that. */
  checked: { readonly input: unknown; readonly repairs: readonly string[] } | null
  verdict: Verdict | null
  /** What it did in its sandbox, where somebody looked. */
  effects?: CallEffects
  /** Whether the tool that has started only reads. */
  reads?: boolean
  /** Whether the start of the tool is in the record, or could not be recorded. */
  start: "none" | "recorded" | "refused"
}

/**
 * Records calls. The runtime waits for each promise: a call whose start can't be recorded is not run, an answer
 * that can't be recorded is not given out.
 */
export interface CallRecorder {
  /** Before a tool starts that may change something, or whose caller wants to find it again. */
  started(call: RecordedCall): Promise<void>
  /** Before a person is asked. */
  asked(call: RecordedCall, question: ApprovalRequest): Promise<void>
  /** Before a person's answer takes effect. */
  answered(call: RecordedCall, answer: ApprovalAnswer): Promise<void>
  output(call: string, chunk: OutputChunk): void
  /** Before the envelope is given out. */
  ended(call: RecordedCall, envelope: Envelope, durationMs: number): Promise<void>
}

/** Whether a call can be repeated without a second effect. A tool that declares nothing may do anything. */
export function onlyReads({ effects }: Pick<Tool, "effects">): boolean {
  return effects.length > 0 && effects.every((effect) => effect === "read")
}
