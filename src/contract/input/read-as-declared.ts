import { limits } from "../limits.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema, SchemaType } from "../schema/json-schema.ts"
import { typesOf } from "../schema/schema-walk.ts"
import { isDeeperThan, startsTooDeep } from "./input-depth.ts"

export interface Reading {
  readonly value: unknown
  /** What was read as what. */
  readonly change: string
}

/** Reads text as the type or the choice that the schema declares; null when it stays as it is. */
export function readAsDeclared(schema: JsonSchema, value: unknown): Reading | null {
  if (typeof value !== "string") return null
  const choice = chosen(schema, value)
  if (choice !== undefined) {
    return { value: choice, change: `${quote(value)} read as ${JSON.stringify(choice)}` }
  }
  const types = typesOf(schema)
  if (types.length === 0 || types.includes("string")) return null
  for (const type of readingOrder) {
    if (!types.includes(type)) continue
    const read = readers[type](value.trim())
    if (read !== undefined) {
      return { value: read, change: `text ${quote(value)} read as ${summary(read)}` }
    }
  }
  return null
}

/** Text of hostile length is not worth the change of its case. */
const longestChoice = 1_000

/** Choices match without regard to case, and as text of a number or a boolean, if only one does. */
function chosen(schema: JsonSchema, value: string): string | number | boolean | undefined {
  const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  if (choices.length === 0 || choices.includes(value)) return undefined
  const wanted = value.trim()
  const folded = wanted.length > longestChoice ? wanted : wanted.toLowerCase()
  const matches = choices.filter((choice) => {
    if (typeof choice === "string") return choice.toLowerCase() === folded
    if (typeof choice === "number") return readNumber(wanted) === choice
    return typeof choice === "boolean" && readers.boolean(wanted) === choice
  })
  return matches.length === 1 ? (matches[0] as string | number | boolean) : undefined
}

type ReadableType = Exclude<SchemaType, "string" | "null">

const readingOrder: readonly ReadableType[] = ["integer", "number", "boolean", "array", "object"]

const readers: Record<ReadableType, (text: string) => unknown> = {
  integer(text) {
    const read = readNumber(text)
    // Beyond this, a number no longer says which integer was meant.
    return Number.isSafeInteger(read) ? read : undefined
  },
  number: readNumber,
  boolean(text) {
    const word = text.length > longestWord ? "" : text.toLowerCase()
    if (["true", "yes", "1"].includes(word)) return true
    return ["false", "no", "0"].includes(word) ? false : undefined
  },
  array(text) {
    const read = text.startsWith("[") ? parse(text) : undefined
    return Array.isArray(read) ? read : undefined
  },
  object(text) {
    const read = text.startsWith("{") ? parse(text) : undefined
    return isObject(read) ? read : undefined
  },
}

/** "false": longer text is not a boolean. */
const longestWord = 5
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function readNumber(text: string): number | undefined {
  if (text.length > 40 || !jsonNumber.test(text)) return undefined
  const read = Number(text)
  return Number.isFinite(read) ? read : undefined
}

function parse(text: string): unknown {
  if (startsTooDeep(text)) return undefined
  try {
    const read: unknown = JSON.parse(text)
    return isDeeperThan(limits.inputDepth, read) ? undefined : read
  } catch {
    return undefined
  }
}

function quote(text: string): string {
  const { quotedCharacters } = limits
  const short = text.length > quotedCharacters ? `${text.slice(0, quotedCharacters)}…` : text
  return JSON.stringify(short)
}

function summary(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (isObject(value)) return `an object of ${Object.keys(value).length}`
  return String(value)
}
