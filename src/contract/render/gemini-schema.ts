import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { mapKeyword, referredNode } from "../schema/schema-walk.ts"

/** What Gemini's API documents for `parametersJsonSchema`, and `default`, which it ignores. */
const keywords = new Set(
  (
    "type format title description default enum items prefixItems minItems maxItems minimum maximum " +
    "anyOf oneOf properties additionalProperties required"
  ).split(" "),
)
const formats: readonly unknown[] = ["date-time", "date", "time"]

/**
 * A schema in the subset of JSON Schema that Gemini takes. It allows at least what the original does; a call is checked
 * against that one. References are replaced by what they lead to: the API refuses one with a description
 * beside it, and one into `definitions`.
 */
export function geminiSchema(root: JsonSchema): JsonSchema {
  return new Conversion(root).convert(root, [root])
}

/** Schemas that refer to each other grow with each reference that is replaced: after so many, none is. */
const mostSchemas = 5_000

class Conversion {
  readonly #root: JsonSchema
  #count = 0

  constructor(root: JsonSchema) {
    this.#root = root
  }

  /** `trail`: the schemas that references led to on the way here. */
  convert(schema: JsonSchema, trail: readonly JsonSchema[]): JsonSchema {
    this.#count += 1
    const target = referredNode(schema, this.#root)?.schema
    if (target) {
      const { $ref, ...beside } = schema
      // One that contains itself is shown once; deeper, anything goes.
      if (trail.includes(target) || this.#count > mostSchemas) return this.convert(beside, trail)
      return this.convert({ ...target, ...beside }, [...trail, target])
    }
    const inner = (one: JsonSchema) => this.convert(one, trail)
    const { allOf = [], ...own } = schema
    const kept = Object.entries(inKnownWords(own)).filter(([keyword]) => keywords.has(keyword))
    const mapped: JsonSchema = Object.fromEntries(
      kept.map(([keyword, value]) => [keyword, mapKeyword(keyword, value, inner)]),
    )
    return allOf.filter(isObject).map(inner).reduce(bothOf, mapped)
  }
}

/** What other keywords say, said with those that are known. */
function inKnownWords(schema: JsonSchema): JsonSchema {
  const { const: only, enum: listed = [], items, format, ...rest } = schema
  const { exclusiveMinimum: above, exclusiveMaximum: below, type } = schema
  const step = type === "integer" ? 1 : 0
  return {
    ...rest,
    ...byAnyName(schema),
    ...(typeof above === "number" && { minimum: above + step }),
    ...(typeof below === "number" && { maximum: below - step }),
    ...(Array.isArray(items) ? { prefixItems: items } : isObject(items) && { items }),
    ...(formats.includes(format) && { format }),
    ...offered("const" in schema ? [only] : listed, type),
  }
}

/** Properties whose names match a pattern: Gemini knows no patterns, so their names are not limited. */
function byAnyName({ patternProperties, additionalProperties }: JsonSchema): JsonSchema {
  if (!isObject(patternProperties)) return {}
  const [only, ...more] = Object.values(patternProperties)
  const isOnly = more.length === 0 && additionalProperties === false && isObject(only)
  return { additionalProperties: isOnly ? only : true }
}

/** Gemini offers texts and numbers to choose from; null and others are left out. */
function offered(choices: readonly unknown[], type: JsonSchema["type"]): JsonSchema {
  const texts = choices.filter((one) => typeof one === "string")
  const numbers = choices.filter((one) => typeof one === "number")
  if (texts.length + numbers.length === 0) return {}
  const implied = texts.length === 0 ? "number" : "string"
  return { type: type ?? implied, enum: texts.length === 0 ? numbers : texts }
}

/** A value that matches both; where both say something about the same, the first counts. */
function bothOf(one: JsonSchema, other: JsonSchema): JsonSchema {
  const properties = { ...other.properties, ...one.properties }
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])]
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
