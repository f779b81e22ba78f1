import { isObject, parseObject } from "../schema/json.ts"
import { legacyFailure } from "./detect-envelope.ts"
import type { FailureDetails } from "./envelope.ts"
import { isFailureKind } from "./failure-kinds.ts"
import { failureFrom } from "./from-error.ts"

/** Document 004's result of a tool. */
export interface ToolResult {
  readonly success: boolean
  /** For the model and for people. */
  readonly output: string
  readonly error?: string | undefined
}

/** What a tool answers: its result, or why it failed. */
export type Answer =
  | { readonly ok: true; readonly result: unknown; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly failure: FailureDetails }

type Fields = Readonly<Record<string, unknown>>

/**
 * The answer that a tool returned in one of the forms that have a place for a failure: an envelope or its JSON text, a
 * ToolResult, the older texts and JSON of failures, or an error that it returned instead of throwing it. Null for
 * everything else, which is a result. What says that it failed never becomes a success, however malformed it is.
 */
export function readReturned(value: unknown): Answer | null {
  if (value instanceof Error) return { ok: false, failure: failureFrom(value) }
  if (typeof value === "string") return readText(value)
  return isObject(value) ? readFields(value) : null
}

/** Large texts of other JSON are not worth parsing. */
const hasVerdict = /"(?:ok|success|error)"\s{0,99}:/

function readText(text: string): Answer | null {
  const legacy = legacyFailure(text)
  if (legacy) return { ok: false, failure: legacy }
  if (!/^\s{0,99}\{/.test(text) || !hasVerdict.test(text)) return null
  const value = parseObject(text)
  return value && readFields(value)
}

function readFields(value: Fields): Answer | null {
  if (value.ok === true && Object.hasOwn(value, "result")) return readSuccess(value)
  if (value.ok === false || value.success === false) return readFailure(value)
  if (value.success === true && typeof value.output === "string") return readToolResult(value)
  return isBareError(value) ? readFailure(value) : null
}

const envelopeKeys = ["ok", "tool", "result", "warnings"]

function readSuccess(value: Fields): Answer {
  const { result, warnings } = value
  const unknown = Object.keys(value).filter((key) => !envelopeKeys.includes(key))
  const note = `answer: an envelope has no ${unknown.join(", ")}; left out`
  return {
    ok: true,
    result,
    warnings: [...[warnings].flat().filter(isText), ...(unknown.length > 0 ? [note] : [])],
  }
}

/** What else stands there stays beside the text. */
function readToolResult({ success: _, output, error, ...others }: Fields): Answer {
  return { ok: true, result: { text: output, ...others }, warnings: isText(error) ? [error] : [] }
}

/** The older JSON of failures: `{"error": "..."}` or `{"error": {"kind", "message"}}`, and no data beside it. */
function isBareError(value: Fields): boolean {
  const { error } = value
  const isOlder = isText(error) || (isObject(error) && isText(error.message))
  return isOlder && Object.keys(value).every((key) => ["error", "message", "kind"].includes(key))
}

const failureKeys =
  "ok success kind message error output field expected tool retryable warnings".split(" ")

/** Null for data with a false `ok` or `success` and no reason beside it: what a check of a site says that is down. */
function readFailure(value: Fields): Answer | null {
  const inner = isObject(value.error) ? value.error : {}
  const kinds = [value.kind, inner.kind, value.error].filter(isText)
  const said = [value.message, value.error, inner.message, value.output].filter(isText)
  const isData = Object.keys(value).some((key) => !failureKeys.includes(key))
  if (isData && said.length === 0 && kinds.length === 0) return null
  const kind = kinds.find(isFailureKind)
  const named = kind === undefined && isText(value.kind) ? `${value.kind}: ` : ""
  const texts = said.filter((text) => text !== kind)
  const message = texts.join("\n") || "The tool failed and gave no reason."
  const { field, expected, retryable } = value
  return {
    ok: false,
    failure: {
      kind: kind ?? "execution_error",
      message: `${named}${message}`,
      field: isText(field) ? field : undefined,
      expected: isText(expected) ? expected : undefined,
      retryable: typeof retryable === "boolean" ? retryable : undefined,
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== ""
}
