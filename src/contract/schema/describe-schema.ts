import { describePattern } from "./describe-pattern.ts"
import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { referredNode } from "./schema-walk.ts"

const mostChoices = 20
const longestDescription = 80

/** A schema in a few words: `integer from 1 to 10 (how many lines)`. References start at `root`. */
export function describeSchema(schema: JsonSchema, root: JsonSchema = schema): string {
  const words = new Wording(root).formOf(schema)
  const about = firstSentence(schema.description)
  return about ? `${words} (${about})` : words
}

/** What kind of value it is and how large, never what it says. */
export function describeValue(value: unknown): string {
  if (value === null) return "null"
  if (value === undefined) return "nothing"
  if (typeof value === "string") return `text of ${count(value.length, "character")}`
  if (Array.isArray(value)) return `a list of ${count(value.length, "item")}`
  if (typeof value === "object") return `an object with ${count(Object.keys(value).length, "key")}`
  return `a ${typeof value}`
}

/** Schemas may contain themselves; so far down, the words for it help nobody. */
const deepest = 3
/** Choices between hundreds of choices take long to put into words that are then left out. */
const mostSchemas = 1_000

class Wording {
  readonly #root: JsonSchema
  #depth = 0
  #count = 0

  constructor(root: JsonSchema) {
    this.#root = root
  }

  formOf(schema: JsonSchema): string {
    this.#count += 1
    if (this.#count > mostSchemas || this.#depth > deepest || !isObject(schema)) return "value"
    this.#depth += 1
    const words = this.#formOf(schema)
    this.#depth -= 1
    return words
  }

  #formOf(schema: JsonSchema): string {
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.enum) return oneOf(schema.enum.map((choice) => JSON.stringify(choice)))
    const branches = schema.anyOf ?? schema.oneOf
    if (branches) {
      return [...new Set(branches.map((branch) => this.formOf(branch)))].slice(0, 5).join(" or ")
    }
    if (schema.type !== undefined) {
      return [schema.type]
        .flat()
        .map((type) => this.#typed(type, schema))
        .join(" or ")
    }
    const target = referredNode(schema, this.#root)
    if (target) return this.formOf(target.schema)
    return schema.required ? `object with ${schema.required.join(", ")}` : "value"
  }

  #typed(type: string, schema: JsonSchema): string {
    switch (type) {
      case "string":
        return stringForm(schema)
      case "integer":
      case "number":
        return `${type}${range(schema)}`
      case "array":
        return isObject(schema.items)
          ? `array of ${this.formOf(schema.items as JsonSchema)}`
          : "array"
      case "object": {
        const names = Object.keys(schema.properties ?? {})
        return names.length > 0 ? `object with ${names.slice(0, 8).join(", ")}` : "object"
      }
      default:
        return type
    }
  }
}

function stringForm(schema: JsonSchema): string {
  if (typeof schema.format === "string") return `string in ${schema.format} form`
  if (typeof schema.pattern === "string") {
    const words = describePattern(schema.pattern)
    if (words !== null) return `string of this form: ${words}`
    // The description, which follows, tells more than the expression would.
    return schema.description === undefined ? "string of another form" : "string as described"
  }
  return Number(schema.minLength) > 0 ? "non-empty string" : "string"
}

function range(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const parts = [
    minimum === undefined ? "" : ` from ${minimum}`,
    exclusiveMinimum === undefined ? "" : ` above ${exclusiveMinimum}`,
    maximum === undefined ? "" : ` to ${maximum}`,
    exclusiveMaximum === undefined ? "" : ` below ${exclusiveMaximum}`,
  ]
  return parts.join("")
}

function oneOf(choices: readonly string[]): string {
  const shown = choices.slice(0, mostChoices).join(", ")
  return choices.length > mostChoices ? `one of ${shown}, ...` : `one of ${shown}`
}

function firstSentence(description: unknown): string {
  if (typeof description !== "string") return ""
  const sentence = description.split(/\.(?:\s|$)/)[0]?.trim() ?? ""
  return sentence.length > longestDescription
    ? `${sentence.slice(0, longestDescription)}…`
    : sentence
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}
