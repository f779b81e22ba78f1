import { type FailureKind, failureKinds } from "./failure-kinds.ts"

/** The only answer a call can get. */
export type Envelope<Result = unknown> = Success<Result> | Failure

export interface Success<Result = unknown> {
  readonly ok: true
  readonly tool: string
  readonly result: Result
  readonly warnings?: readonly string[]
}

export interface Failure {
  readonly ok: false
  readonly kind: FailureKind
  readonly message: string
  readonly field?: string
  readonly expected?: string
  readonly tool: string
  readonly retryable: boolean
}

export interface FailureDetails {
  readonly kind: FailureKind
  readonly message: string
  readonly field?: string | undefined
  readonly expected?: string | undefined
  readonly retryable?: boolean | undefined
}

export function success<Result>(
  tool: string,
  result: Result,
  warnings: readonly string[] = [],
): Success<Result> {
  return warnings.length > 0
    ? { ok: true, tool, result, warnings: [...warnings] }
    : { ok: true, tool, result }
}

export function failure(tool: string, details: FailureDetails): Failure {
  return {
    ok: false,
    kind: details.kind,
    message: details.message,
    ...(details.field === undefined ? {} : { field: details.field }),
    ...(details.expected === undefined ? {} : { expected: details.expected }),
    tool,
    retryable: details.retryable ?? failureKinds[details.kind].retryable,
  }
}
