import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { childSchemas, mapKeyword, referredNode } from "./schema-walk.ts"

export interface Loosening {
  /** Whether a keyword stays in the schema that it stands in. */
  readonly keeps: (keyword: string, value: unknown, schema: JsonSchema) => boolean
  /** A schema once it is loosened, with what it was and the keywords that it lost. */
  readonly finish?: (schema: JsonSchema, given: JsonSchema, lost: readonly string[]) => JsonSchema
}

/**
 * The schema without some keywords. It takes every value that it took before: where a schema that takes more would make the one
 * around it take less (`not`, `if`, one of `oneOf`), that keyword goes too, or becomes one that takes more.
 */
export function loosenSchema(root: JsonSchema, { keeps, finish }: Loosening): JsonSchema {
  const changed = changedSchemas(root, keeps)
  const isWhole = (schema: unknown) => !isObject(schema) || !changed.has(schema)

  function loosened(given: JsonSchema): JsonSchema {
    const lost = new Set<string>()
    const kept = new Map<string, unknown>()
    for (const [keyword, value] of Object.entries(given)) {
      if (keeps(keyword, value, given)) kept.set(keyword, value)
      else lost.add(keyword)
    }
    const lose = (...keywords: readonly string[]) => {
      for (const keyword of keywords) if (kept.delete(keyword)) lost.add(keyword)
    }
    if (!isWhole(given.not)) lose("not")
    // Without its condition, nobody knows which of the two it is.
    if (lost.has("if") || !isWhole(given.if)) lose("if", "then", "else")
    if (lost.has("contains")) lose("minContains", "maxContains")
    if (!isWhole(given.contains)) lose("maxContains")
    // What these are about depends on what others say.
    if (lost.has("properties") || lost.has("patternProperties")) lose("additionalProperties")
    if (lost.has("prefixItems")) lose("items")
    if (lost.has("items")) lose("additionalItems")
    if (!isWhole(given)) lose("unevaluatedProperties", "unevaluatedItems")
    const isAny = kept.has("oneOf") && !given.oneOf?.every(isWhole)
    if (isAny) lose("oneOf")
    const entries = [...kept].map(([keyword, value]) => [
      keyword,
      mapKeyword(keyword, value, loosened),
    ])
    const schema: JsonSchema = Object.fromEntries(entries)
    const result = isAny ? withAny(schema, mapKeyword("oneOf", given.oneOf, loosened)) : schema
    return finish ? finish(result, given, [...lost]) : result
  }

  return isWhole(root) && !finish ? root : loosened(root)
}

/** The schemas that lose a keyword, and all that lead to one of them, by a keyword or a reference. */
function changedSchemas(root: JsonSchema, keeps: Loosening["keeps"]): ReadonlySet<JsonSchema> {
  const leadingTo = new Map<JsonSchema, JsonSchema[]>([[root, []]])
  const waiting = [root]
  const changed = new Set<JsonSchema>()
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    const target = referredNode(schema, root)
    const isKept = Object.entries(schema).every(([keyword, value]) => keeps(keyword, value, schema))
    if (!isKept || (schema.$ref !== undefined && !target)) changed.add(schema)
    const inside = childSchemas({ schema, pointer: [] })
    for (const next of target ? [target, ...inside] : inside) {
      const before = leadingTo.get(next.schema)
      if (before) before.push(schema)
      else {
        leadingTo.set(next.schema, [schema])
        waiting.push(next.schema)
      }
    }
  }
  for (const schema of changed)
    for (const before of leadingTo.get(schema) ?? []) changed.add(before)
  return changed
}

/** What is one of several is at least any of them. */
function withAny(schema: JsonSchema, branches: unknown): JsonSchema {
  if (schema.anyOf === undefined) return { ...schema, anyOf: branches as readonly JsonSchema[] }
  const { allOf = [] } = schema
  return { ...schema, allOf: [...allOf, { anyOf: branches as readonly JsonSchema[] }] }
}
