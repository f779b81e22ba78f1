import { type FailureKind, failureFrom } from "../../../contract/index.ts"

/** The codes of the Connect protocol, with the status that an answer without a stream has. */
const statuses = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  unauthenticated: 401,
} as const

export type ConnectCode = keyof typeof statuses

/** A failure as the Connect protocol tells it. */
export class ConnectError extends Error {
  readonly code: ConnectCode

  constructor(code: ConnectCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  get status(): number {
    return statuses[this.code]
  }

  /** What is sent. */
  toJSON() {
    return { code: this.code, message: this.message }
  }
}

const codes: Readonly<Record<FailureKind, ConnectCode>> = {
  invalid_args: "invalid_argument",
  rejected: "permission_denied",
  user_denied: "permission_denied",
  not_found: "not_found",
  tool_not_found: "unimplemented",
  timeout: "deadline_exceeded",
  unavailable: "unavailable",
  execution_error: "internal",
}

/** Whatever went wrong, as something that can be sent. */
export function connectErrorFrom(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  const { kind, message, retryable } = failureFrom(error)
  // The SDK takes "unavailable" for a sandbox that is gone, which a host that can't do something is not.
  const isNever = kind === "unavailable" && retryable === false
  return new ConnectError(isNever ? "unimplemented" : codes[kind], message, { cause: error })
}
