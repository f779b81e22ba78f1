import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { copyWith, mapParts, partNodes, unionNodes } from "../schema/schema-places.ts"
import { childSchemas, type SchemaNode } from "../schema/schema-walk.ts"
import type { CompiledSchema } from "../validate/compile-schema.ts"
import { defaultOf } from "../validate/instrument-schema.ts"

type Compiled = Pick<CompiledSchema, "isFineAt" | "budget">

/**
 * Gives a valid value its declared defaults, copying only what changes. Not Ajv's `useDefaults`, which writes into the
 * input and leaves unions out. The compiled schema says which branch of a union a value belongs to.
 */
export function defaultsFiller(root: JsonSchema, compiled: Compiled): (value: unknown) => unknown {
  if (!isFlat(root)) return (value) => fillDefaults(root, value, compiled)
  const defaults = Object.entries(root.properties ?? {}).filter(
    ([, part]) => isObject(part) && "default" in part,
  )
  return (value) => {
    if (!isObject(value)) return value
    const missing = defaults.filter(([name]) => isAbsent(value, name))
    const fillings = missing.map(([name, part]) => [name, structuredClone(part.default)])
    return { ...value, ...Object.fromEntries(fillings) }
  }
}

/** Whether only its own properties have defaults, as in most tools: then nothing has to be walked through. */
function isFlat(root: JsonSchema): boolean {
  const own = new Set<JsonSchema>(Object.values(root.properties ?? {}))
  const isPlain = (node: SchemaNode): boolean =>
    node.schema.$ref === undefined &&
    (own.has(node.schema) || node.schema.default === undefined) &&
    childSchemas(node).every(isPlain)
  return isPlain({ schema: root, pointer: [] })
}

/** Throws an OverBudget when it takes too many steps. */
function fillDefaults(root: JsonSchema, value: unknown, { isFineAt, budget }: Compiled): unknown {
  budget.start(value)
  const fill = (node: SchemaNode, part: unknown): unknown => {
    budget.take(1)
    if (typeof part !== "object" || part === null) return part
    let filled: unknown = isObject(part) ? withDefaults(node.schema, part, root) : part
    filled = mapParts(node, filled, fill)
    for (const same of partNodes(node, root)) filled = fill(same, filled)
    for (const branches of unionNodes(node)) {
      const fitting = branches.find(({ pointer }) => isFineAt(pointer, filled))
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
    // Each call gets its own copy, which it may change.
    if (filling !== undefined && isAbsent(value, name)) missing.set(name, structuredClone(filling))
  }
  return missing.size === 0 ? value : copyWith(value, missing)
}

/** An undefined key is an absent one, as in JSON. */
function isAbsent(value: Readonly<Record<string, unknown>>, name: string): boolean {
  return !Object.hasOwn(value, name) || value[name] === undefined
}
