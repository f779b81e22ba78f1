import { isObject } from "./json.ts"
import type { JsonSchema, SchemaType } from "./json-schema.ts"

/** Where in a schema other schemas stand: keywords of one schema, of a list of schemas, of schemas by name. */
export const schemaKeywords = {
  one: "additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else",
  list: "anyOf oneOf allOf prefixItems",
  named: "properties $defs definitions dependentSchemas",
} as const
const oneSchema = new Set(["items", ...schemaKeywords.one.split(" ")])
const schemaList = new Set(["items", ...schemaKeywords.list.split(" ")])
const schemaMap = new Set(["patternProperties", ...schemaKeywords.named.split(" ")])

export type Pointer = readonly (string | number)[]

export interface SchemaNode {
  readonly schema: JsonSchema
  /** How to get there from the root schema. */
  readonly pointer: Pointer
}

/** The schemas that stand directly inside one schema. */
export function childSchemas(node: SchemaNode): SchemaNode[] {
  const children: SchemaNode[] = []
  const add = (schema: unknown, ...steps: Pointer) => {
    if (isObject(schema)) children.push({ schema, pointer: [...node.pointer, ...steps] })
  }
  for (const [keyword, value] of Object.entries(node.schema)) {
    if (schemaList.has(keyword) && Array.isArray(value)) {
      for (const [index, schema] of value.entries()) add(schema, keyword, index)
    } else if (oneSchema.has(keyword)) {
      add(value, keyword)
    } else if (schemaMap.has(keyword) && isObject(value)) {
      for (const [name, schema] of Object.entries(value)) add(schema, keyword, name)
    }
  }
  return children
}

/** The same schema with `change` applied to each schema inside it, innermost first. */
export function mapSchemas(
  schema: JsonSchema,
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  const inner = (one: JsonSchema) => mapSchemas(one, change)
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    mapKeyword(keyword, value, inner),
  ])
  return change(Object.fromEntries(entries))
}

/** A keyword's value with `change` applied to each schema that stands directly in it. */
export function mapKeyword(
  keyword: string,
  value: unknown,
  change: (schema: JsonSchema) => JsonSchema,
): unknown {
  const inner = (one: unknown) => (isObject(one) ? change(one) : one)
  if (schemaList.has(keyword) && Array.isArray(value)) return value.map(inner)
  if (oneSchema.has(keyword)) return inner(value)
  if (!schemaMap.has(keyword) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))
}

/** What a local `$ref` leads to; undefined when it leads nowhere or elsewhere. */
export function followReference(root: JsonSchema, reference: string): SchemaNode | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined
  const pointer = readPointer(reference.slice(1))
  if (!pointer) return undefined
  let target: unknown = root
  for (const part of pointer) {
    const inside = (isObject(target) || Array.isArray(target)) && Object.hasOwn(target, part)
    if (!inside) return undefined
    target = (target as Record<string, unknown>)[part]
  }
  return isObject(target) ? { schema: target, pointer } : undefined
}

/** What a schema's own `$ref` leads to; undefined without one. */
export function referredNode({ $ref }: JsonSchema, root: JsonSchema): SchemaNode | undefined {
  return $ref === undefined ? undefined : followReference(root, $ref)
}

/** The first schema that leads back to itself by `next`, among all that the starts lead to. */
export function findLoop(
  starts: readonly SchemaNode[],
  next: (node: SchemaNode) => readonly SchemaNode[],
): SchemaNode | null {
  const finished = new Set<JsonSchema>()
  const trail = new Set<JsonSchema>()
  const loopFrom = (node: SchemaNode): SchemaNode | null => {
    if (finished.has(node.schema)) return null
    if (trail.has(node.schema)) return node
    trail.add(node.schema)
    const loop = firstOf(next(node), loopFrom)
    trail.delete(node.schema)
    finished.add(node.schema)
    return loop
  }
  return firstOf(starts, loopFrom)
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | null) {
  for (const item of items) {
    const found = find(item)
    if (found) return found
  }
  return null
}

export function typesOf({ type }: JsonSchema): readonly SchemaType[] {
  return type === undefined ? [] : [type].flat()
}

export function isAboutObjects(schema: JsonSchema): boolean {
  return typesOf(schema).includes("object") || schema.properties !== undefined
}

export function pointerText(pointer: Pointer): string {
  return pointer.map((part) => `/${escapePart(String(part))}`).join("")
}

function escapePart(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1")
}

/** The parts of a pointer as it stands behind "#"; undefined where its percent signs mean nothing. */
function readPointer(pointer: string): string[] | undefined {
  try {
    return pointer.split("/").slice(1).map(unescapePart)
  } catch {
    return undefined
  }
}

function unescapePart(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")
}
