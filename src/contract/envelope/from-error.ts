import { DefinitionError } from "../schema/definition-error.ts"
import type { FailureDetails } from "./envelope.ts"
import type { FailureKind } from "./failure-kinds.ts"
import { machineProblem } from "./machine-problem.ts"
import { ToolFailure } from "./tool-failure.ts"

const longestMessage = 500

/** What the operating system's error codes mean for a call. */
const systemErrors: Readonly<Record<string, FailureKind>> = {
  ENOENT: "not_found",
  ENOTDIR: "invalid_args",
  EISDIR: "invalid_args",
  ENAMETOOLONG: "invalid_args",
  ETIMEDOUT: "timeout",
  ECONNREFUSED: "unavailable",
}

/** The one mapping from whatever was thrown to a failure. */
export function failureFrom(error: unknown): FailureDetails {
  if (error instanceof ToolFailure) {
    const { kind, message, field, expected, retryable } = error
    return { kind, message, field, expected, retryable }
  }
  if (error instanceof DefinitionError) {
    return { kind: "unavailable", message: oneParagraph(error.message), retryable: false }
  }
  if (!(error instanceof Error)) {
    return { kind: "execution_error", message: `The tool threw ${describeThrown(error)}.` }
  }
  const problem = machineProblem(error)
  if (problem !== null) return { kind: "unavailable", message: `The call failed: ${problem}` }
  if (error.name === "TimeoutError") return { kind: "timeout", message: messageOf(error) }
  return { kind: kindOf(error), message: messageOf(error) }
}

function kindOf(error: Error): FailureKind {
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return (Object.hasOwn(systemErrors, code) ? systemErrors[code] : undefined) ?? "execution_error"
}

function messageOf(error: Error): string {
  const message = oneParagraph(error.message)
  return message === "" ? `The tool failed with ${error.name} and no message.` : message
}

/** Stack traces and page-long messages are for logs. Nothing stops a message from being no text. */
function oneParagraph(message: unknown): string {
  const text = typeof message === "string" ? (message.split(/\n\s+at /)[0] ?? "").trim() : ""
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
}

function describeThrown(value: unknown): string {
  if (typeof value === "string") return `the text ${JSON.stringify(oneParagraph(value))}`
  return value === null ? "null" : `a value of type ${typeof value} that is no error`
}
