import {
  type Dialect,
  dialectOf,
  followReference,
  isObject,
  type JsonSchema,
  keywordProblem,
  loosenSchema,
  mapSchemas,
} from "../../../contract/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cleanText } from "../connection/clean-text.ts"
import { annotations, openSchemas } from "./shared-schemas.ts"

export type FittedSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly reason: string }

const { schemaBytes, schemaDepth, schemaParts, argumentBytes } = bridgeLimits

/** Any JSON value, on purpose: an empty schema could be a mistake. */
const anything: JsonSchema = { description: "Any value." }

/**
 * A server's input schema in the form that Toolkeep enforces. What can't be enforced is left to the server, which checks the arguments
 * again. Nothing that the server's schema takes is refused, but for one thing: an object that declares names has no others.
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
  const dialect = dialectOf(root)
  const version = dialect && typeof $schema === "string" ? { $schema } : {}
  const schema: JsonSchema = { type: "object", ...rest, ...version }
  const isOld = /draft-0[3467]/.test(String($schema))
  return { ok: true, schema: fitted(schema, dialect ?? "draft-2020-12", isOld) }
}

/** `isOld`: written for a draft in which a reference is all that counts of a schema. */
function fitted(given: JsonSchema, dialect: Dialect, isOld: boolean): JsonSchema {
  const root =
    dialect === "draft-07" ? given : mapSchemas(given, (schema) => withPrefixItems(schema))
  const { shared, exact } = openSchemas(root)
  return loosenSchema(root, {
    keeps(keyword, value, schema) {
      if (leftOut.has(keyword) || keywordProblem(keyword, value, dialect) !== null) return false
      if (annotations.has(keyword)) return keyword !== "$id" || schema === root
      // A reference in a schema with a name of its own starts there, and not at the root.
      if (schema !== root && schema.$id !== undefined && hasReference(schema)) return false
      return !(isOld && schema.$ref !== undefined) && !isIdle(keyword, schema)
    },
    finish: (schema, before, lost) =>
      closed(described(schema, before, lost), before, {
        isRoot: before === root,
        isExact: exact.has(before),
        isShared: shared.has(before) || lost.some((keyword) => opening.has(keyword)),
      }),
  })
}

/** A server's patterns could keep this process busy for ever, and what is evaluated depends on what is left out. */
const leftOut = new Set(
  "pattern patternProperties unevaluatedProperties unevaluatedItems".split(" "),
)

/** Without one of these, nobody knows which other names an object may have. */
const opening = new Set(["properties", "patternProperties", "additionalProperties"])

/** Says nothing without another keyword beside it. */
function isIdle(keyword: string, schema: JsonSchema): boolean {
  switch (keyword) {
    case "if":
      return schema.then === undefined && schema.else === undefined
    case "then":
    case "else":
      return schema.if === undefined
    case "minContains":
    case "maxContains":
      return schema.contains === undefined
    case "additionalItems":
      return !Array.isArray(schema.items)
    default:
      return false
  }
}

function hasReference(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"$ref"')
}

/** A list of items has another name since draft 2020-12, and many still use the old one. */
function withPrefixItems(schema: JsonSchema): JsonSchema {
  const { items, additionalItems: rest, ...others } = schema
  if (!Array.isArray(items)) return schema
  return { ...others, prefixItems: items, ...(rest !== undefined && { items: rest as JsonSchema }) }
}

/** Those that a model should know of, though only the server checks them. */
const named = new Set(
  (
    "not oneOf if then else contains minContains maxContains patternProperties additionalProperties unevaluatedProperties " +
    "unevaluatedItems items additionalItems prefixItems dependencies"
  ).split(" "),
)

/** A pattern that is not enforced is described, and other rules are named. */
function described(
  schema: JsonSchema,
  { pattern, description }: JsonSchema,
  lost: readonly string[],
): JsonSchema {
  const said = typeof description === "string" ? cleanText(description, argumentBytes) : ""
  const rule = typeof pattern === "string" ? `Pattern: ${cleanText(pattern, 200)}` : ""
  const left = lost.filter((keyword) => named.has(keyword))
  const more = left.length > 0 ? `The server also checks: ${left.join(", ")}.` : ""
  const text = [said, rule, more].filter((part) => part !== "").join(" ")
  return text === "" ? schema : { ...schema, description: text }
}

interface Position {
  readonly isRoot: boolean
  /** Whether it has to mean just what it says. */
  readonly isExact: boolean
  /** Whether other schemas speak about the same object. */
  readonly isShared: boolean
}

/** An object with declared names has no others; one without any is a map of anything. */
function closed(schema: JsonSchema, given: JsonSchema, position: Position): JsonSchema {
  const { isRoot, isExact, isShared } = position
  const types: unknown[] = [schema.type].flat()
  if (!types.includes("object") && schema.properties === undefined) return schema
  const { additionalProperties: others } = schema
  if (isObject(others)) {
    return { ...schema, additionalProperties: hasMeaning(others) ? others : anything }
  }
  const hasNames = Object.keys(given.properties ?? {}).length > 0
  const isOpen = others === undefined ? isShared || isExact || !(hasNames || isRoot) : others
  if (isOpen) return { ...schema, additionalProperties: anything }
  const names = withRequired(schema, isExact || isShared)
  return { ...schema, properties: names, additionalProperties: false }
}

function hasMeaning(schema: JsonSchema): boolean {
  return Object.keys(schema).length > 0
}

/** A name that is required and not declared can be anything, and where the schema has to mean what it says, nothing. */
function withRequired(
  { properties = {}, required = [] }: JsonSchema,
  isExact: boolean,
): NonNullable<JsonSchema["properties"]> {
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name))
  const added = undeclared.map((name) => [name, isExact ? { not: {} } : {}])
  return { ...properties, ...Object.fromEntries(added) }
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
