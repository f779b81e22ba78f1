import { isObject, parseJson } from "../schema/json.ts"
import {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  type Success,
} from "./envelope.ts"
import { type FailureKind, isFailureKind } from "./failure-kinds.ts"

/** An envelope, its JSON text, or one of the older forms that stand in old conversations. */
export type AnyResult = string | Envelope | Readonly<Record<string, unknown>>

/** Prefixes that tools used before there were envelopes. */
const legacyPrefixes: readonly (readonly [string, FailureKind])[] = [
  ["[REJECTED]", "rejected"],
  ["[TIMEOUT]", "timeout"],
]

export function isError(result: AnyResult): boolean {
  return readFailure(result) !== null
}

export function isSuccess(result: AnyResult): boolean {
  return readSuccess(result) !== null
}

/** The `result` of a success; undefined for everything else. */
export function successPayload(result: AnyResult): unknown {
  return readSuccess(result)?.result
}

/** The message of a failure; for everything else the input as text. */
export function failureMessage(result: AnyResult): string {
  const read = readFailure(result)
  if (read) return read.message
  return typeof result === "string" ? result : JSON.stringify(result)
}

function readSuccess(result: AnyResult): Success | null {
  const value = typeof result === "string" ? parse(result) : result
  return isObject(value) && value.ok === true && "result" in value ? (value as never) : null
}

function readFailure(result: AnyResult): Failure | null {
  const legacy = typeof result === "string" ? legacyFailure(result) : null
  if (legacy) return failure("", legacy)
  const value = typeof result === "string" ? parse(result) : result
  if (!isObject(value) || value.ok === true) return null
  if (value.ok === false && typeof value.message === "string") return value as never
  return readLegacyError(value) ?? (value.ok === false ? unexplained(value) : null)
}

/** What a text with one of the older prefixes says. */
export function legacyFailure(text: string): FailureDetails | null {
  const start = text.trimStart()
  for (const [prefix, kind] of legacyPrefixes) {
    if (start.startsWith(prefix)) return { kind, message: start.slice(prefix.length).trim() }
  }
  return null
}

/** A failure all the same; whatever it says stands in for the message. */
function unexplained(value: Record<string, unknown>): Failure {
  const kind = isFailureKind(value.kind) ? value.kind : "execution_error"
  return failure("", { kind, message: JSON.stringify(value) })
}

/** `{"error": "..."}` and `{"error": {"kind", "message"}}`, with or without `"success": false`. */
function readLegacyError(value: Record<string, unknown>): Failure | null {
  const { error } = value
  if (typeof error === "string") {
    const message = typeof value.message === "string" ? value.message : error
    return failure("", { kind: isFailureKind(error) ? error : "execution_error", message })
  }
  if (isObject(error) && typeof error.message === "string") {
    const kind = isFailureKind(error.kind) ? error.kind : "execution_error"
    return failure("", { kind, message: error.message })
  }
  return null
}

function parse(text: string): unknown {
  return text.trimStart().startsWith("{") ? parseJson(text) : undefined
}
