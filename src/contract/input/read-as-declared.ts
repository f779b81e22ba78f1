import { limits } from "../limits.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema, SchemaType } from "../schema/json-schema.ts"
import { typesOf } from "../schema/schema-walk.ts"
import { isBlank } from "../validate/instrument-schema.ts"
import { isDeeperThan, startsTooDeep } from "./input-depth.ts"
import { type InexactNumber, parseExactly, readExactly } from "./parse-exactly.ts"

export interface Reading extends Read {
  /** What was read as what. */
  readonly change: string
}

interface Read {
  readonly value: unknown
  /** A number in the text that would become another one: the input is refused. */
  readonly inexact?: InexactNumber | null
}

/** How much JSON text one repair still parses. A union asks about the same text again for each of its branches. */
export interface ParseBudget {
  characters: number
}

/** Reads text as the type or the choice that the schema declares; null when it stays as it is. */
export function readAsDeclared(
  schema: JsonSchema,
  value: unknown,
  budget: ParseBudget = { characters: limits.inputBytes },
): Reading | null {
  if (typeof value !== "string") return null
  const text = trimBriefly(value)
  if (text === null) return null
  const choice = chosen(schema, value, text)
  if (choice !== undefined) {
    return { value: choice, change: `${quote(value)} read as ${JSON.stringify(choice)}` }
  }
  const types = typesOf(schema)
  if (types.length === 0 || types.includes("string")) return null
  for (const type of readingOrder) {
    if (!types.includes(type)) continue
    const read = readers[type](text, budget)
    if (!read) continue
    return { ...read, change: `text ${quote(value)} read as ${summary(read.value)}` }
  }
  return null
}

/** More blanks around a value than this are not looked through: a list may have a megabyte of them in each item. */
const mostBlanks = 1_000

/** The text without the blanks around it; null where there are too many of them for it to be meant as a value. */
export function trimBriefly(text: string): string | null {
  if (text.length <= mostBlanks) return text.trim()
  const isBlankEnd = isBlank(text.slice(0, mostBlanks)) || isBlank(text.slice(-mostBlanks))
  return isBlankEnd ? null : text.trim()
}

/** Text of hostile length is not worth the change of its case. */
const longestChoice = 1_000

/** Choices match without regard to case, and as text of a number or a boolean, if only one does. */
function chosen(
  schema: JsonSchema,
  value: string,
  wanted: string,
): string | number | boolean | undefined {
  const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  if (choices.length === 0 || choices.includes(value)) return undefined
  const folded = wanted.length > longestChoice ? wanted : wanted.toLowerCase()
  const matches = choices.filter((choice) => {
    if (typeof choice === "string") return choice.toLowerCase() === folded
    if (typeof choice === "number") return readExact(wanted) === choice
    return typeof choice === "boolean" && readBoolean(wanted) === choice
  })
  return matches.length === 1 ? (matches[0] as string | number | boolean) : undefined
}

type ReadableType = Exclude<SchemaType, "string" | "null">

const readingOrder: readonly ReadableType[] = ["integer", "number", "boolean", "array", "object"]

const readers: Record<ReadableType, (text: string, budget: ParseBudget) => Read | undefined> = {
  integer(text) {
    const read = readNumber(text)
    return read && Number.isInteger(read.value) ? read : undefined
  },
  number: readNumber,
  boolean(text) {
    const value = readBoolean(text)
    return value === undefined ? undefined : { value }
  },
  array(text, budget) {
    const read = text.startsWith("[") ? parse(text, budget) : undefined
    return Array.isArray(read?.value) ? read : undefined
  },
  object(text, budget) {
    const read = text.startsWith("{") ? parse(text, budget) : undefined
    return isObject(read?.value) ? read : undefined
  },
}

/** "false": longer text is not a boolean. */
const longestWord = 5

function readBoolean(text: string): boolean | undefined {
  const word = text.length > longestWord ? "" : text.toLowerCase()
  if (["true", "yes", "1"].includes(word)) return true
  return ["false", "no", "0"].includes(word) ? false : undefined
}

const longestNumber = 40
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function readNumber(text: string): Read | undefined {
  if (text.length > longestNumber || !jsonNumber.test(text)) return undefined
  const value = readExactly(text)
  const inexact = value === undefined ? { path: [], source: text } : null
  return { value: value ?? Number.MAX_SAFE_INTEGER, inexact }
}

function readExact(text: string): unknown {
  const read = readNumber(text)
  return read?.inexact ? undefined : read?.value
}

function parse(text: string, budget: ParseBudget): Read | undefined {
  budget.characters -= text.length
  if (budget.characters < 0 || startsTooDeep(text)) return undefined
  try {
    const read = parseExactly(text)
    return isDeeperThan(limits.inputDepth, read.value) ? undefined : read
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
