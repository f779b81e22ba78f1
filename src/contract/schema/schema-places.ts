import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { referredNode, type SchemaNode } from "./schema-walk.ts"

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

function tupleLength(schema: JsonSchema): number {
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems
  return Array.isArray(tuple) ? tuple.length : 0
}

/** Changes one part of a value; undefined leaves it out. */
type ChangePart = (node: SchemaNode, part: unknown, step: string | number) => unknown

/** The value with each part changed that the schema describes; the value itself where that changes nothing. */
export function mapParts(node: SchemaNode, value: unknown, change: ChangePart): unknown {
  if (Array.isArray(value)) return mapItems(node, value, change)
  if (!isObject(value)) return value
  const changed = new Map<string, unknown>()
  for (const [key, part] of Object.entries(value)) {
    const child = propertyNode(node, key)
    const next = child ? change(child, part, key) : part
    if (next !== part) changed.set(key, next)
  }
  return changed.size === 0 ? value : copyWith(value, changed)
}

/** fromEntries defines keys instead of assigning them, so "__proto__" stays an ordinary key. */
export function copyWith(
  value: Readonly<Record<string, unknown>>,
  changed: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const entries = [...new Map([...Object.entries(value), ...changed])]
  return Object.fromEntries(
    entries.filter(([key, part]) => part !== undefined || !changed.has(key)),
  )
}

function mapItems(node: SchemaNode, value: readonly unknown[], change: ChangePart): unknown {
  const length = tupleLength(node.schema)
  const rest = itemNode(node, length)
  if (length === 0 && !rest) return value
  const items = value.map((item, index) => {
    const child = index < length ? itemNode(node, index) : rest
    return child ? change(child, item, index) : item
  })
  return items.some((item, index) => item !== value[index]) ? items : value
}

/** What judges the very same value beside the schema itself: its `$ref` and the parts of `allOf`. */
export function partNodes(node: SchemaNode, root: JsonSchema): readonly SchemaNode[] {
  const { $ref, allOf } = node.schema
  if ($ref === undefined && allOf === undefined) return none
  const target = referredNode(node.schema, root)
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

/** The schemas with everything that judges the same values; a circle of references ends. */
export function sameValueNodes(
  starts: readonly SchemaNode[],
  root: JsonSchema,
): readonly SchemaNode[] {
  const found = new Map(starts.map((node) => [node.schema, node]))
  for (const node of found.values()) {
    for (const next of [...partNodes(node, root), ...unionNodes(node).flat()]) {
      if (!found.has(next.schema)) found.set(next.schema, next)
    }
  }
  return [...found.values()]
}

const none: readonly never[] = []

function listedNodes(node: SchemaNode, keyword: string): SchemaNode[] {
  const listed: unknown = node.schema[keyword]
  if (!Array.isArray(listed)) return []
  return listed.map((schema, index) => ({ schema, pointer: [...node.pointer, keyword, index] }))
}
