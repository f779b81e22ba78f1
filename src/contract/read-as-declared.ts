import { type ArgumentPath, fieldName } from "./argument-path.ts"
import { isDeeperThan, startsTooDeep } from "./input-depth.ts"
import { isObject } from "./json.ts"
import type { JsonSchema, SchemaType } from "./json-schema.ts"
import { limits } from "./limits.ts"
import type { Repaired } from "./repair-input.ts"

/** Reads text as the type or the enum value that the schema declares at this place. */
export function readAsDeclared(schema: JsonSchema, value: unknown, path: ArgumentPath): Repaired {
  const unchanged = { value, notes: [] }
  if (typeof value !== "string") return unchanged
  const choice = chosen(schema, value)
  if (choice !== undefined) {
    return {
      value: choice,
      notes: [note(path, `${quote(value)} read as ${JSON.stringify(choice)}`)],
    }
  }
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0 || types.includes("string")) return unchanged
  for (const type of readingOrder) {
    if (!types.includes(type)) continue
    const read = readers[type](value.trim())
    if (read !== undefined) {
      return { value: read, notes: [note(path, `text ${quote(value)} read as ${summary(read)}`)] }
    }
  }
  return unchanged
}

/** Choices match without regard to case, and as text of a number or a boolean, if only one does. */
function chosen(schema: JsonSchema, value: string): string | number | boolean | undefined {
  const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  if (choices.length === 0 || choices.includes(value)) return undefined
  const wanted = value.trim()
  const matches = choices.filter((choice) => {
    if (typeof choice === "string") return choice.toLowerCase() === wanted.toLowerCase()
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
    const word = text.toLowerCase()
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

function note(path: ArgumentPath, change: string): string {
  return path.length === 0 ? `arguments: ${change}` : `${fieldName(path)}: ${change}`
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
