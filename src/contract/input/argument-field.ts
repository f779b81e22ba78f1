import type { JsonSchema } from "../schema/json-schema.ts"
import { itemNode, propertyNode, sameValueNodes } from "../schema/schema-places.ts"
import type { SchemaNode } from "../schema/schema-walk.ts"

/** One step to a field: into a key, or into every entry of a list. */
export type FieldStep = { readonly key: string } | "every entry"

const syntax = /^[^.[\]]+(?:\[\])*(?:\.[^.[\]]+(?:\[\])*)*$/

/** The steps of `command`, `options.cwd` or `edits[].path`; null for what is written otherwise. */
export function fieldSteps(field: string): readonly FieldStep[] | null {
  if (!syntax.test(field)) return null
  return field.split(".").flatMap((part): FieldStep[] => {
    const [key = "", ...lists] = part.split("[]")
    return [{ key }, ...lists.map(() => "every entry" as const)]
  })
}

/** Whether a value of the schema can have something at this field. */
export function mayHaveField(root: JsonSchema, field: string): boolean {
  let nodes: readonly SchemaNode[] = [{ schema: root, pointer: [] }]
  for (const step of fieldSteps(field) ?? []) {
    const meant = sameValueNodes(nodes, root)
    if (meant.some(({ schema }) => isOpen(schema, step))) return true
    nodes = meant.flatMap(
      (node) => (step === "every entry" ? itemNode(node, 0) : propertyNode(node, step.key)) ?? [],
    )
  }
  return nodes.length > 0
}

/** Whether anything may stand there. */
function isOpen(schema: JsonSchema, step: FieldStep): boolean {
  const { properties, additionalProperties, items } = schema
  if (step === "every entry")
    return items === true || (schema.type === "array" && items === undefined)
  if (properties && Object.hasOwn(properties, step.key))
    return Object(properties)[step.key] === true
  if (additionalProperties === true) return true
  return (
    additionalProperties === undefined && (schema.type === "object" || properties !== undefined)
  )
}
