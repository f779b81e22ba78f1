import type { JsonSchema } from "./json-schema.ts"
import { childSchemas, followReference, type SchemaNode } from "./schema-walk.ts"

/** Keywords whose schemas judge the same value as the schema they stand in. */
const sameValue: readonly unknown[] = "allOf anyOf oneOf not if then else dependentSchemas".split(
  " ",
)

/** The first of the schemas that can't be judged without judging itself, such as a `$ref` to itself. */
export function findLoop(nodes: readonly SchemaNode[], root: JsonSchema): SchemaNode | null {
  const finished = new Set<JsonSchema>()
  for (const node of nodes) {
    const loop = loopFrom(node, root, { finished, trail: new Set() })
    if (loop) return loop
  }
  return null
}

interface Walk {
  readonly finished: Set<JsonSchema>
  readonly trail: Set<JsonSchema>
}

function loopFrom(node: SchemaNode, root: JsonSchema, walk: Walk): SchemaNode | null {
  if (walk.finished.has(node.schema)) return null
  if (walk.trail.has(node.schema)) return node
  walk.trail.add(node.schema)
  for (const next of sameValueSchemas(node, root)) {
    const loop = loopFrom(next, root, walk)
    if (loop) return loop
  }
  walk.trail.delete(node.schema)
  walk.finished.add(node.schema)
  return null
}

function sameValueSchemas(node: SchemaNode, root: JsonSchema): SchemaNode[] {
  const { schema, pointer } = node
  const target = schema.$ref === undefined ? undefined : followReference(root, schema.$ref)
  const inside = childSchemas(node).filter((child) =>
    sameValue.includes(child.pointer[pointer.length]),
  )
  return target ? [target, ...inside] : inside
}
