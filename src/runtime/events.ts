import type { CallEffects, Envelope, OutputChunk } from "../contract/index.ts"
import type { Verdict } from "../policy/index.ts"
import type { ApprovalAnswer } from "./approval.ts"

/** What happens to a call, one event per stage, in order. Every call ends with one `call-ended`. */
export type CallEvent = {
  readonly callId: string
  readonly tool: string
  /** Milliseconds since 1970. */
  readonly at: number
} & CallStage

export type CallStage =
  | { readonly kind: "call-requested"; readonly agent?: string; readonly provider?: string }
  | { readonly kind: "call-checked"; readonly input: unknown; readonly repairs: readonly string[] }
  | { readonly kind: "call-judged"; readonly verdict: Verdict }
  | { readonly kind: "approval-requested"; readonly prompt: string; readonly fingerprint: string }
  | {
      readonly kind: "approval-answered"
      readonly approved: boolean
      /** "expired" where nobody answered in time. */
      readonly answer: ApprovalAnswer["kind"] | "expired"
      readonly by?: string | undefined
      readonly reason?: string | undefined
    }
  | { readonly kind: "call-started"; readonly timeoutMs: number | null }
  /** `printed`: how many bytes the call has printed in all, with this chunk. */
  | { readonly kind: "call-output"; readonly chunk: OutputChunk; readonly printed: number }
  /** What the call did in its sandbox, where Toolkeep was opened with `effects`. */
  | { readonly kind: "call-effects"; readonly effects: CallEffects }
  | { readonly kind: "call-ended"; readonly envelope: Envelope; readonly durationMs: number }

export type CallListener = (event: CallEvent) => void
