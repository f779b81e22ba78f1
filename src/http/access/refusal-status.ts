import type { FailureKind } from "../../contract/index.ts"

/** The status with which a failure is answered. */
export const refusalStatus: Readonly<Record<FailureKind, number>> = {
  invalid_args: 400,
  rejected: 403,
  user_denied: 403,
  not_found: 404,
  tool_not_found: 404,
  timeout: 504,
  unavailable: 503,
  execution_error: 500,
}
