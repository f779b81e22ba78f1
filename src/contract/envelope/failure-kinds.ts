/** Every way a call can fail, and whether trying again may help. */
export const failureKinds = {
  invalid_args: { retryable: true },
  rejected: { retryable: false },
  user_denied: { retryable: false },
  timeout: { retryable: true },
  execution_error: { retryable: true },
  not_found: { retryable: false },
  unavailable: { retryable: true },
  tool_not_found: { retryable: false },
} as const

export type FailureKind = keyof typeof failureKinds

export function isFailureKind(value: unknown): value is FailureKind {
  return typeof value === "string" && Object.hasOwn(failureKinds, value)
}
