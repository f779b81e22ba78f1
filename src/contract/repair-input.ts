import { type ArgumentPath, fieldName } from "./argument-path.ts"
import { type CompiledSchema, isBlankMeaningless } from "./compile-schema.ts"
import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { readAsDeclared } from "./read-as-declared.ts"
import { followReference, type SchemaNode } from "./schema-walk.ts"

export interface Repaired {
  readonly value: unknown
  /** What was changed, one sentence each, for the envelope's warnings. */
  readonly notes: readonly string[]
}

/** A hostile input meets a hostile union: past this many steps, what is left stays as it is. */
const mostSteps = 5_000

/**
 * Reads an input that did not fit as its author most likely meant it. Only parts that the schema
 * refuses are touched, and never in place. The result must be checked again.
 */
export function repairInput(root: JsonSchema, compiled: CompiledSchema, input: unknown): Repaired {
  const repairer = new Repairer(root, compiled)
  const unwrapped = unwrap(root, input)
  const repaired = repairer.repair({ schema: root, pointer: [] }, unwrapped.value, [])
  return { value: repaired.value, notes: [...unwrapped.notes, ...repaired.notes] }
}

/** Some models send `{"properties": {...}}`, the schema's own shape, around the arguments. */
function unwrap(root: JsonSchema, input: unknown): Repaired {
  const declared = root.properties ?? {}
  const inner = isObject(input) && Object.keys(input).length === 1 ? input.properties : undefined
  const isWrapper = isObject(inner) && !Object.hasOwn(declared, "properties")
  if (!isWrapper || !Object.keys(inner).some((key) => Object.hasOwn(declared, key))) {
    return { value: input, notes: [] }
  }
  return { value: inner, notes: ['arguments taken out of a "properties" wrapper'] }
}

class Repairer {
  readonly #root: JsonSchema
  readonly #compiled: CompiledSchema
  #steps = 0

  constructor(root: JsonSchema, compiled: CompiledSchema) {
    this.#root = root
    this.#compiled = compiled
  }

  repair(node: SchemaNode, value: unknown, path: ArgumentPath): Repaired {
    this.#steps += 1
    if (this.#steps > mostSteps) return { value, notes: [] }
    const { schema, pointer } = node
    let current: Repaired = { value, notes: [] }
    const then = (next: Repaired) => {
      current = { value: next.value, notes: [...current.notes, ...next.notes] }
    }

    const target = schema.$ref === undefined ? undefined : followReference(this.#root, schema.$ref)
    if (target) then(this.repair(target, current.value, path))
    for (const [index, part] of (schema.allOf ?? []).entries()) {
      then(
        this.repair({ schema: part, pointer: [...pointer, "allOf", index] }, current.value, path),
      )
    }
    then(this.#repairUnion(node, current.value, path))
    then(readAsDeclared(schema, current.value, path))
    if (isObject(current.value)) then(this.#repairProperties(node, current.value, path))
    else if (Array.isArray(current.value)) then(this.#repairItems(node, current.value, path))
    return current
  }

  /** Takes the branch that needs the fewest changes; a value that fits one already stays. */
  #repairUnion(node: SchemaNode, value: unknown, path: ArgumentPath): Repaired {
    const keyword = node.schema.anyOf ? "anyOf" : "oneOf"
    const branches = (node.schema[keyword] ?? []).map((schema, index) => ({
      schema,
      pointer: [...node.pointer, keyword, index],
    }))
    const unchanged = { value, notes: [] }
    if (branches.length === 0) return unchanged
    if (branches.some(({ pointer }) => this.#compiled.accepts(pointer, value))) return unchanged
    let best: Repaired | null = null
    for (const branch of branches) {
      const candidate = this.repair(branch, value, path)
      if (!this.#compiled.accepts(branch.pointer, candidate.value)) continue
      if (!best || candidate.notes.length < best.notes.length) best = candidate
    }
    return best ?? unchanged
  }

  #repairProperties(
    node: SchemaNode,
    value: Record<string, unknown>,
    path: ArgumentPath,
  ): Repaired {
    const notes: string[] = []
    let changed = false
    const entries: [string, unknown][] = []
    for (const [key, part] of Object.entries(value)) {
      const inner = [...path, key]
      if (this.#isUnusedField(node.schema, key, part)) {
        notes.push(`${fieldName(inner)}: empty text left out`)
        changed = true
        continue
      }
      const child = propertyNode(node, key)
      const repaired = child ? this.repair(child, part, inner) : { value: part, notes: [] }
      notes.push(...repaired.notes)
      changed ||= repaired.value !== part
      entries.push([key, repaired.value])
    }
    // fromEntries defines keys instead of assigning them, so "__proto__" stays an ordinary key.
    return { value: changed ? Object.fromEntries(entries) : value, notes }
  }

  #isUnusedField(schema: JsonSchema, key: string, value: unknown): boolean {
    if (typeof value !== "string" || /\S/.test(value)) return false
    const property = ownProperty(schema, key)
    if (!property || schema.required?.includes(key)) return false
    return isBlankMeaningless(property, this.#root)
  }

  #repairItems(node: SchemaNode, value: readonly unknown[], path: ArgumentPath): Repaired {
    const notes: string[] = []
    const items = value.map((item, index) => {
      const child = itemNode(node, index)
      if (!child) return item
      const repaired = this.repair(child, item, [...path, index])
      notes.push(...repaired.notes)
      return repaired.value
    })
    const changed = items.some((item, index) => item !== value[index])
    return { value: changed ? items : value, notes }
  }
}

function ownProperty(schema: JsonSchema, key: string): JsonSchema | undefined {
  return schema.properties && Object.hasOwn(schema.properties, key)
    ? schema.properties[key]
    : undefined
}

/** The schema that judges a key: its own, that of a pattern, or that of all other keys. */
function propertyNode(node: SchemaNode, key: string): SchemaNode | null {
  const { schema, pointer } = node
  const own = ownProperty(schema, key)
  if (isObject(own)) return { schema: own, pointer: [...pointer, "properties", key] }
  const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {}
  for (const [pattern, part] of Object.entries(patterns)) {
    if (isObject(part) && new RegExp(pattern, "u").test(key)) {
      return { schema: part, pointer: [...pointer, "patternProperties", pattern] }
    }
  }
  const others = schema.additionalProperties
  return isObject(others) ? { schema: others, pointer: [...pointer, "additionalProperties"] } : null
}

/** Tuples are `prefixItems` in draft 2020-12 and a list of `items` in draft-07. */
function itemNode(node: SchemaNode, index: number): SchemaNode | null {
  const { schema, pointer } = node
  const keyword = Array.isArray(schema.items) ? "items" : "prefixItems"
  const tuple: unknown = schema[keyword]
  if (Array.isArray(tuple) && isObject(tuple[index])) {
    return { schema: tuple[index], pointer: [...pointer, keyword, index] }
  }
  return isObject(schema.items) ? { schema: schema.items, pointer: [...pointer, "items"] } : null
}
