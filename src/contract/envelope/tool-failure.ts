import type { FailureDetails } from "./envelope.ts"
import type { FailureKind } from "./failure-kinds.ts"

/** Thrown by a tool or a host to end the call with exactly this failure. */
export class ToolFailure extends Error {
  override readonly name: string = "ToolFailure"
  readonly kind: FailureKind
  readonly field: string | undefined
  readonly expected: string | undefined
  readonly retryable: boolean | undefined

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options)
    this.kind = details.kind
    this.field = details.field
    this.expected = details.expected
    this.retryable = details.retryable
  }
}
