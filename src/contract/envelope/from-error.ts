import { DefinitionError } from "../schema/definition-error.ts"
import type { FailureDetails } from "./envelope.ts"
import type { FailureKind } from "./failure-kinds.ts"
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
  const lines = typeof message === "string" ? message.split("\n") : []
  const stack = lines.findIndex((line, index) => index > 0 && /^\s+at /.test(line))
  const text = (stack === -1 ? lines : lines.slice(0, stack)).join("\n").trim()
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
}

function describeThrown(value: unknown): string {
  if (typeof value === "string") return `the text ${JSON.stringify(oneParagraph(value))}`
  return value === null ? "null" : `a value of type ${typeof value} that is not an error`
}

/** What this machine lacks, by the system's error code, and what to do about it. */
const lacking: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Free some space",
  EDQUOT: "the disk quota is used up. Free some space",
  EROFS: "the file system is read-only. Make it writable",
  EMFILE: "too many files are open. Close some, or raise the limit with ulimit -n",
  ENFILE: "too many files are open on this machine. Close some",
  ENOMEM: "no memory is left. Free some",
  EAGAIN: "this machine can't start another process now. End some",
  EIO: "the disk failed to read or write. Check it",
}

/** Errors about one file or directory, which are the machine's only when the file is Toolkeep's own. */
const unusable: Readonly<Record<string, string>> = {
  EACCES: "permission is denied. Change its owner or mode",
  EPERM: "permission is denied. Change its owner or mode",
  ENOTDIR: "a part of its path is not a directory. Choose another path",
  EEXIST: "something else has that name. Remove it, or choose another path",
  ENOENT: "it is not there and can't be made. Check that its directory is writable",
  EISDIR: "it is a directory. Remove it, or choose another path",
  ELOOP: "its path has too many links. Choose another path",
  ENAMETOOLONG: "its path is too long. Choose another path",
}

/** Why a system call failed and what to do, when the machine is the reason; null for every other error. */
export function machineProblem(error: unknown): string | null {
  return sentence(error, lacking)
}

/** The same for a file of Toolkeep's own, where nobody asked for the file by its path. */
export function ownFileProblem(error: unknown): string | null {
  return sentence(error, lacking) ?? sentence(error, unusable)
}

function sentence(error: unknown, table: Readonly<Record<string, string>>): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null
  if (typeof code !== "string" || !Object.hasOwn(table, code)) return null
  return `${table[code]}, then try again.`
}
