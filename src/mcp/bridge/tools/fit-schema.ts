import {
  type Dialect,
  dialectOf,
  followReference,
  isObject,
  type JsonSchema,
  keywordProblem,
  mapKeyword,
} from "../../../contract/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cleanText } from "../connection/clean-text.ts"

export type FittedSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly reason: string }

const { schemaBytes, schemaDepth, schemaParts, argumentBytes } = bridgeLimits

/** Any JSON value, on purpose: an empty schema could be a mistake. */
const anything: JsonSchema = { description: "Any value." }

/** Beside these, or inside them, an object says only a part of what it may have. */
const composing = "anyOf oneOf allOf not if then else dependentSchemas $ref".split(" ")

/**
 * A server's input schema in the form that Toolkeep enforces. What it can't enforce is left to the
 * server, which checks the arguments again; nothing that the server takes on purpose is refused.
 */
export function fitSchema(given: unknown): FittedSchema {
  const root = given ?? { type: "object" }
  if (!isObject(root)) return { ok: false, reason: "Its input schema is not an object." }
  if (isDeep(root))
    return { ok: false, reason: `Its input schema nests more than ${schemaDepth} levels.` }
  const text = JSON.stringify(root)
  if (text.length > schemaBytes) {
    return { ok: false, reason: `Its input schema is larger than ${schemaBytes / 1024} KiB.` }
  }
  if (root.type !== undefined && root.type !== "object") {
    return { ok: false, reason: "Its input schema does not describe an object." }
  }
  if (countParts(root, schemaParts) > schemaParts) {
    return {
      ok: false,
      reason: "Its input schema becomes too large when its references are followed.",
    }
  }
  const { $schema, ...rest } = root
  const known = dialectOf(root)
  const schema = { type: "object", ...rest, ...(known && $schema !== undefined && { $schema }) }
  const position = { isRoot: true, isPart: false, joinsDefinitions: text.includes('"allOf"') }
  return { ok: true, schema: fitted(schema, { ...position, dialect: known ?? "draft-2020-12" }) }
}

interface Position {
  readonly dialect: Dialect
  readonly isRoot: boolean
  /** Whether other schemas speak about the same object. */
  readonly isPart: boolean
  /** Whether definitions may be put together with others. */
  readonly joinsDefinitions: boolean
}

function fitted(given: Record<string, unknown>, position: Position): JsonSchema {
  const { dialect } = position
  const isComposed = composing.some((keyword) => given[keyword] !== undefined)
  const fittedKeywords: [string, unknown][] = []
  for (const [keyword, value] of Object.entries(renamed(given, dialect))) {
    if (leftOut.includes(keyword) || keywordProblem(keyword, value, dialect)) continue
    if (keyword === "$id" && !position.isRoot) continue
    fittedKeywords.push([keyword, fitKeyword(keyword, value, position)])
  }
  const schema = Object.fromEntries(fittedKeywords) as JsonSchema
  return closed(described(schema, given), given, {
    ...position,
    isPart: position.isPart || isComposed,
  })
}

/** A server's patterns could keep this process busy for ever; `closed` decides about other keys. */
const leftOut = ["pattern", "patternProperties", "additionalProperties", "unevaluatedProperties"]

/** A list of items has another name since draft 2020-12, and many still use the old one. */
function renamed(given: Record<string, unknown>, dialect: Dialect): Record<string, unknown> {
  if (dialect === "draft-07" || !Array.isArray(given.items)) return given
  const { items, additionalItems: _rest, ...others } = given
  return { ...others, prefixItems: items }
}

function fitKeyword(keyword: string, value: unknown, position: Position): unknown {
  const isDefinition = keyword === "$defs" || keyword === "definitions"
  const isPart = composing.includes(keyword) || (isDefinition && position.joinsDefinitions)
  const inner = { ...position, isRoot: false, isPart }
  return mapKeyword(keyword, value, (part) => fitted({ ...part }, inner))
}

/** A pattern that is not enforced is described. */
function described(
  schema: JsonSchema,
  { pattern, description }: Record<string, unknown>,
): JsonSchema {
  const said = typeof description === "string" ? cleanText(description, argumentBytes) : ""
  const rule = typeof pattern === "string" ? `Pattern: ${cleanText(pattern, 200)}` : ""
  const text = [said, rule].filter((part) => part !== "").join(" ")
  return text === "" ? schema : { ...schema, description: text }
}

/** An object with declared names has no others; one without any is a map of anything. */
function closed(
  schema: JsonSchema,
  given: Record<string, unknown>,
  position: Position,
): JsonSchema {
  const types: unknown[] = [given.type].flat()
  if (!types.includes("object") && schema.properties === undefined) return schema
  const { additionalProperties: others } = given
  if (isObject(others) && Object.keys(others).length > 0) {
    const additionalProperties = fitted(others, { ...position, isRoot: false, isPart: false })
    return {
      ...schema,
      additionalProperties: hasMeaning(additionalProperties) ? additionalProperties : anything,
    }
  }
  const hasNames = Object.keys(schema.properties ?? {}).length > 0
  const isOpen =
    isObject(given.patternProperties) ||
    (others !== false && (others !== undefined || position.isPart)) ||
    (others === undefined && !hasNames && !position.isRoot)
  if (isOpen) return { ...schema, additionalProperties: anything }
  return { ...schema, properties: withRequired(schema), additionalProperties: false }
}

function hasMeaning(schema: JsonSchema): boolean {
  return Object.keys(schema).length > 0
}

/** A name that is required and not declared can be anything. */
function withRequired({
  properties = {},
  required = [],
}: JsonSchema): NonNullable<JsonSchema["properties"]> {
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name))
  return { ...properties, ...Object.fromEntries(undeclared.map((name) => [name, {}])) }
}

function isDeep(root: object): boolean {
  let level: object[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    // Each schema in another one takes two levels: its keyword, and its name or number.
    if (depth > 2 * schemaDepth) return true
    level = level.flatMap((parent) =>
      Object.values(parent).filter((child) => typeof child === "object" && child !== null),
    )
  }
  return false
}

/**
 * How many schemas a schema holds when each reference counts as its target: a few lines that refer to each other
 * twice can mean more than any checker can handle. Counts no further than `most` + 1.
 */
function countParts(root: Record<string, unknown>, most: number): number {
  const counted = new Map<object, number>()
  const count = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0
    const known = counted.get(value)
    if (known !== undefined) return known
    // A schema that contains itself adds nothing the second time: values end.
    counted.set(value, 0)
    let parts = 1
    for (const [key, inner] of Object.entries(value)) {
      parts += key === "$ref" ? count(followReference(root, String(inner))?.schema) : count(inner)
      if (parts > most) break
    }
    counted.set(value, parts)
    return parts
  }
  return count(root)
}
