import {
  childSchemas,
  followReference,
  isObject,
  type JsonSchema,
} from "../../../contract/index.ts"

/** They describe, or only name schemas for others: beside them, a schema speaks alone. */
export const annotations: ReadonlySet<string> = new Set(
  (
    "$schema $id $comment $defs definitions title description default examples deprecated readOnly writeOnly " +
    "contentEncoding contentMediaType"
  ).split(" "),
)

/** Keywords whose schemas are about the same value as the one that they stand in. */
const sameValue = new Set("anyOf oneOf allOf not if then else dependentSchemas $ref".split(" "))
/** A schema in these must mean what it meant: to take less would make the one around it take less or more. */
const exact = new Set(["not", "if", "contains"])

/** The schemas that must not be closed. */
export interface OpenSchemas {
  /** They share their value with others, which may have names of their own for it. */
  readonly shared: ReadonlySet<JsonSchema>
  /** They have to mean exactly what they say. */
  readonly exact: ReadonlySet<JsonSchema>
}

export function openSchemas(root: JsonSchema): OpenSchemas {
  const seen = {
    own: new Set<JsonSchema>(),
    shared: new Set<JsonSchema>(),
    exact: new Set<JsonSchema>(),
  }
  const shared = new Set<JsonSchema>()

  function visit(schema: JsonSchema, how: keyof typeof seen): void {
    if (seen[how].has(schema)) return
    seen[how].add(schema)
    const keywords = Object.keys(schema)
    const isAlone = keywords.filter((keyword) => !annotations.has(keyword)).length <= 1
    if (!isAlone && keywords.some((keyword) => sameValue.has(keyword))) shared.add(schema)
    for (const { schema: inner, pointer } of childSchemas({ schema, pointer: [] })) {
      const keyword = String(pointer[0])
      visit(inner, exact.has(keyword) || how === "exact" ? "exact" : howInside(keyword))
    }
    const target = schema.$ref === undefined ? null : followReference(root, `${schema.$ref}`)
    if (target) visit(target.schema, how === "own" && !isAlone ? "shared" : how)

    function howInside(keyword: string): "own" | "shared" {
      if (!sameValue.has(keyword)) return "own"
      const isChoice = keyword === "anyOf" || keyword === "oneOf"
      return isChoice && isAlone && how === "own" && objectsIn(schema[keyword]) <= 1
        ? "own"
        : "shared"
    }
  }

  function objectsIn(branches: unknown): number {
    return Array.isArray(branches) ? branches.filter((one) => mayBeObject(one, root)).length : 0
  }

  visit(root, "own")
  return { shared: new Set([...shared, ...seen.shared]), exact: seen.exact }
}

function mayBeObject(schema: unknown, root: JsonSchema): boolean {
  if (!isObject(schema)) return schema !== false
  const { $ref, type, enum: choices, const: only } = schema as JsonSchema
  if (type !== undefined) return [type].flat().includes("object")
  if (choices !== undefined) return choices.some(isObject)
  if (only !== undefined) return isObject(only)
  const target = $ref === undefined ? null : followReference(root, `${$ref}`)?.schema
  return !target || target.type === undefined || [target.type].flat().includes("object")
}
