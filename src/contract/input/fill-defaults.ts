import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { copyWith, mapParts, partNodes, unionNodes } from "../schema/schema-places.ts"
import type { Pointer, SchemaNode } from "../schema/schema-walk.ts"
import { defaultOf } from "../validate/instrument-schema.ts"

/**
 * Gives a valid value its declared defaults, copying only what changes. Not Ajv's `useDefaults`, which writes into the
 * input and leaves unions out. `fitsAt` says which branch of a union a value belongs to.
 */
export function fillDefaults(
  root: JsonSchema,
  value: unknown,
  fitsAt: (pointer: Pointer, value: unknown) => boolean,
): unknown {
  const fill = (node: SchemaNode, part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part
    let filled: unknown = isObject(part) ? withDefaults(node.schema, part, root) : part
    filled = mapParts(node, filled, fill)
    for (const same of partNodes(node, root)) filled = fill(same, filled)
    for (const branches of unionNodes(node)) {
      const fitting = branches.find(({ pointer }) => fitsAt(pointer, filled))
      if (fitting) filled = fill(fitting, filled)
    }
    return filled
  }
  return fill({ schema: root, pointer: [] }, value)
}

function withDefaults(
  { properties = {} }: JsonSchema,
  value: Record<string, unknown>,
  root: JsonSchema,
): Record<string, unknown> {
  const missing = new Map<string, unknown>()
  for (const [name, property] of Object.entries(properties)) {
    const filling = defaultOf(property, root)
    // An undefined key is an absent one, as in JSON.
    const isPresent = Object.hasOwn(value, name) && value[name] !== undefined
    // Each call gets its own copy, which it may change.
    if (filling !== undefined && !isPresent) missing.set(name, structuredClone(filling))
  }
  return missing.size === 0 ? value : copyWith(value, missing)
}
