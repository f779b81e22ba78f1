import type { FailureKind, JsonSchema } from "../contract/index.ts"

/**
 * Another vocabulary over the canonical tools, as data: names, arguments, units and results. It has no
 * logic of its own, so what it can't say is a missing feature of a canonical tool.
 */
export interface DialectTable {
  readonly dialect: string
  /** In a sentence, for people who choose one. */
  readonly about: string
  readonly answer: AnswerForm
  /** The sandbox's home as its paths have it; "/home/user", or what the host has, when absent. */
  readonly home?: string
  /** What some failures say; the canonical messages when absent. */
  readonly texts?: DialectTexts
  readonly tools: Readonly<Record<string, DialectEntry>>
}

/** The form in which a call is answered. */
export type AnswerForm = (typeof answerForms)[number]

export const answerForms = ["envelope", "cloudflare", "openrath", "flynn"] as const

/**
 * Messages with places in braces: {tool}, {after_ms} of a timeout, {field} and {type} of a missing argument, or the
 * name of an argument. A text is used only where the call has everything that it names.
 */
export type DialectTexts = Readonly<Partial<Record<(typeof textNames)[number], string>>>

export const textNames = [
  /** The policy does not allow the tool at all. */
  "not_allowed",
  "user_denied",
  /** Also for a command that its own timeout ended. */
  "timeout",
  "not_found",
  "tool_not_found",
  "missing_argument",
] as const

/** One tool of the vocabulary. */
export interface DialectEntry {
  /** The canonical tool; or, by the value of one argument, which of several. */
  readonly tool: string | ChosenTool
  readonly description: string
  readonly arguments?: Readonly<Record<string, DialectArgument>>
  /** Arguments of the canonical tool that every call has. */
  readonly with?: Readonly<Record<string, unknown>>
  /** The fields of an answer; the canonical tool's own when absent. */
  readonly result?: ResultShape
  /** Kinds of canonical results that are no answer here, and what the failure says: { listing: "{path} is a directory." }. */
  readonly refuses?: Readonly<Record<string, string>>
}

export interface ChosenTool {
  readonly by: string
  readonly of: Readonly<Record<string, string>>
}

export interface DialectArgument {
  /** Where its value goes in the canonical arguments: "cwd", "edits[0].search". */
  readonly as: string
  readonly required?: boolean
  /** What one unit of it is in the canonical tool's unit: 1000 for seconds where that takes milliseconds. */
  readonly times?: number
  /** What a value of it, as text, is in the canonical tool: { true: "keyword", false: "hybrid" }. */
  readonly values?: Readonly<Record<string, unknown>>
  /** What it says of itself, with the canonical argument's limits. A default of "{home}" is the sandbox's home. */
  readonly schema?: JsonSchema
  /** What a failure says to send; what the schema tells when absent. */
  readonly expected?: string
  /** It is a text that names paths, such as a command: the dialect's home in it is the sandbox's. */
  readonly paths?: boolean
  /** The kind of failure for a value that its schema refuses; "invalid_args" when absent. */
  readonly refusal?: FailureKind
}

/** Each field comes from a place in the canonical result ("artifact.path"), and is left out where there is nothing. */
export type ResultShape = Readonly<Record<string, ResultSource>>

export type ResultSource = string | FixedValue | EachItem | TextOf

export interface FixedValue {
  readonly value: unknown
}

export interface EachItem {
  readonly each: string
  readonly fields: ResultShape
}

/** A text with places in braces: fields of the canonical result, or {shown} for the result as its tool shows it. */
export interface TextOf {
  readonly text: string
}
