import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { followReference, type SchemaNode } from "./schema-walk.ts"

/** The schema that judges a key: its own, that of a pattern, or that of all other keys. */
export function propertyNode(node: SchemaNode, key: string): SchemaNode | null {
  const { schema, pointer } = node
  const own = ownProperty(schema, key)
  if (own !== undefined) {
    return isObject(own) ? { schema: own, pointer: [...pointer, "properties", key] } : null
  }
  const patterns = schema.patternProperties
  for (const [pattern, part] of isObject(patterns) ? Object.entries(patterns) : []) {
    if (isObject(part) && new RegExp(pattern, "u").test(key)) {
      return { schema: part, pointer: [...pointer, "patternProperties", pattern] }
    }
  }
  const others = schema.additionalProperties
  return isObject(others) ? { schema: others, pointer: [...pointer, "additionalProperties"] } : null
}

export function ownProperty(schema: JsonSchema, key: string): JsonSchema | undefined {
  return schema.properties && Object.hasOwn(schema.properties, key)
    ? schema.properties[key]
    : undefined
}

/** Tuples are `prefixItems` in draft 2020-12 and a list of `items` in draft-07. */
export function itemNode(node: SchemaNode, index: number): SchemaNode | null {
  const { schema, pointer } = node
  const [tupleKeyword, restKeyword] = Array.isArray(schema.items)
    ? ["items", "additionalItems"]
    : ["prefixItems", "items"]
  const part: unknown =
    index < tupleLength(schema) ? Object(schema[tupleKeyword])[index] : undefined
  if (part !== undefined) {
    return isObject(part) ? { schema: part, pointer: [...pointer, tupleKeyword, index] } : null
  }
  const rest = schema[restKeyword]
  return isObject(rest) ? { schema: rest, pointer: [...pointer, restKeyword] } : null
}

export function tupleLength(schema: JsonSchema): number {
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems
  return Array.isArray(tuple) ? tuple.length : 0
}

/** What judges the very same value beside the schema itself: its `$ref` and the parts of `allOf`. */
export function partNodes(node: SchemaNode, root: JsonSchema): readonly SchemaNode[] {
  const { $ref, allOf } = node.schema
  if ($ref === undefined && allOf === undefined) return none
  const target = $ref === undefined ? undefined : followReference(root, $ref)
  const parts = listedNodes(node, "allOf")
  return target ? [target, ...parts] : parts
}

/** The branches of each union that a schema has; mostly there is none. */
export function unionNodes(node: SchemaNode): readonly (readonly SchemaNode[])[] {
  const { anyOf, oneOf } = node.schema
  if (anyOf === undefined && oneOf === undefined) return none
  const unions = [listedNodes(node, "anyOf"), listedNodes(node, "oneOf")]
  return unions.filter((branches) => branches.length > 0)
}

const none: readonly never[] = []

function listedNodes(node: SchemaNode, keyword: string): SchemaNode[] {
  const listed: unknown = node.schema[keyword]
  if (!Array.isArray(listed)) return []
  return listed.map((schema, index) => ({ schema, pointer: [...node.pointer, keyword, index] }))
}
