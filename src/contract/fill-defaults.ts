import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { followReference } from "./schema-walk.ts"

/** Which keys of an object get a default, and where in it more objects stand. */
interface DefaultsPlan {
  defaults: readonly (readonly [string, unknown])[]
  properties: readonly (readonly [string, DefaultsPlan])[]
  items: DefaultsPlan | null
}

/** A function that gives a valid value its declared defaults, copying only what changes. */
export function defaultsFiller(root: JsonSchema): (value: unknown) => unknown {
  const plan = planFor(root, root, new Map())
  return fillsAnything(plan, new Set()) ? (value) => fill(plan, value) : (value) => value
}

function planFor(
  schema: JsonSchema,
  root: JsonSchema,
  known: Map<JsonSchema, DefaultsPlan>,
): DefaultsPlan {
  const done = known.get(schema)
  if (done) return done
  const plan: DefaultsPlan = { defaults: [], properties: [], items: null }
  known.set(schema, plan)
  const target = schema.$ref === undefined ? undefined : followReference(root, schema.$ref)?.schema
  if (target) return Object.assign(plan, planFor(target, root, known))
  const properties = Object.entries(schema.properties ?? {}).filter(([, part]) => isObject(part))
  plan.defaults = properties
    .filter(([, part]) => part.default !== undefined)
    .map(([name, part]) => [name, part.default] as const)
  plan.properties = properties.map(([name, part]) => [name, planFor(part, root, known)] as const)
  if (isObject(schema.items)) plan.items = planFor(schema.items, root, known)
  prune(plan)
  return plan
}

function prune(plan: DefaultsPlan): void {
  plan.properties = plan.properties.filter(([, inner]) => fillsAnything(inner, new Set([plan])))
  if (plan.items && !fillsAnything(plan.items, new Set([plan]))) plan.items = null
}

function fillsAnything(plan: DefaultsPlan, seen: Set<DefaultsPlan>): boolean {
  if (plan.defaults.length > 0) return true
  if (seen.has(plan)) return false
  seen.add(plan)
  const inner = plan.properties.map(([, part]) => part)
  return [...inner, ...(plan.items ? [plan.items] : [])].some((part) => fillsAnything(part, seen))
}

function fill(plan: DefaultsPlan, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = plan
    return items ? value.map((item) => fill(items, item)) : value
  }
  if (!isObject(value)) return value
  const copy = { ...value }
  for (const [name, filling] of plan.defaults) {
    if (!Object.hasOwn(copy, name)) define(copy, name, structuredClone(filling))
  }
  for (const [name, inner] of plan.properties) {
    if (Object.hasOwn(copy, name)) define(copy, name, fill(inner, copy[name]))
  }
  return copy
}

/** Plain assignment, except for the one name that would set a prototype instead. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value
  else Object.defineProperty(target, name, { value, enumerable: true, writable: true })
}
