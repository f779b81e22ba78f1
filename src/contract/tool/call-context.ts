import type { Dispatch } from "../payloads/payload.ts"
import type { OutputChunk, Workspace } from "../workspace/workspace.ts"

/** What a running tool is given beside its input. */
export interface CallContext {
  readonly callId: string
  readonly tool: string
  /** The calling agent and the provider of its model, where the call names them. */
  readonly agent?: string | undefined
  readonly provider?: string | undefined
  /** Aborts when the deadline passes, the caller gives up or a person ends the call. */
  readonly signal: AbortSignal
  /** Aborts when a person ends the call; a tool may then still answer with what it has. */
  readonly terminated: AbortSignal
  /** The sandbox the call is bound to, made on first use. Fails the call when there is none. */
  workspace(): Promise<Workspace>
  /** Does in that sandbox what a payload says; ends with the call unless it brings a signal of its own. */
  readonly dispatch: Dispatch
  /** Shows output while the tool is still running. */
  output(chunk: OutputChunk): void
  /** Adds a note to the envelope that the model should read. */
  warn(message: string): void
}
