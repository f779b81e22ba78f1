import type { JsonSchema } from "../contract/index.ts"

/**
 * Another vocabulary over the canonical tools, as data: names, arguments, units and results. It has no
 * logic of its own, so what it can't say is a missing feature of a canonical tool.
 */
export interface DialectTable {
  readonly dialect: string
  /** In a sentence, for people who choose one. */
  readonly about: string
  readonly answer: AnswerForm
  readonly tools: Readonly<Record<string, DialectEntry>>
}

/** The form in which a call is answered. */
export type AnswerForm = (typeof answerForms)[number]

export const answerForms = ["envelope", "cloudflare", "openrath", "flynn"] as const

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
  /** The canonical argument's own when absent. A default of "{home}" is the sandbox's home. */
  readonly schema?: JsonSchema
}

/** Each field comes from a place in the canonical result ("artifact.path"), and is left out where there is nothing. */
export type ResultShape = Readonly<Record<string, ResultSource>>

export type ResultSource = string | FixedValue | EachItem

export interface FixedValue {
  readonly value: unknown
}

export interface EachItem {
  readonly each: string
  readonly fields: ResultShape
}
