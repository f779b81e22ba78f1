import { type ArgumentPath, fieldName } from "./argument-path.ts"
import { isBlank, isBlankMeaningless } from "./blank-text.ts"
import type { CompiledSchema } from "./compile-schema.ts"
import { isObject, isPlainObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { isAboutObjects } from "./mark-schema.ts"
import { mayDescribe } from "./may-describe.ts"
import { readAsDeclared } from "./read-as-declared.ts"
import { itemNode, ownProperty, partNodes, propertyNode, unionNodes } from "./schema-places.ts"
import type { SchemaNode } from "./schema-walk.ts"

export interface Repaired {
  readonly value: unknown
  /** What was changed, one sentence each, for the envelope's warnings. */
  readonly notes: readonly string[]
}

/** A hostile input meets unions within unions: past this many steps, what is left stays as it is. */
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
  const inner = isObject(input) ? input.properties : undefined
  const isWrapper =
    isObject(inner) &&
    !Object.hasOwn(declared, "properties") &&
    Object.keys(Object(input)).length === 1 &&
    Object.keys(inner).some((key) => Object.hasOwn(declared, key))
  return isWrapper
    ? { value: inner, notes: ['arguments taken out of a "properties" wrapper'] }
    : { value: input, notes: [] }
}

class Repairer {
  readonly #root: JsonSchema
  readonly #compiled: CompiledSchema
  /** How many unions the present value stands in; each multiplies the work. */
  #unions = 0
  #steps = 0

  constructor(root: JsonSchema, compiled: CompiledSchema) {
    this.#root = root
    this.#compiled = compiled
  }

  repair(node: SchemaNode, value: unknown, path: ArgumentPath): Repaired {
    if (this.#unions > 1) this.#steps += 1
    if (this.#steps > mostSteps) return { value, notes: [] }
    let current: Repaired = { value, notes: [] }
    const then = (next: Repaired) => {
      current = { value: next.value, notes: [...current.notes, ...next.notes] }
    }

    for (const part of partNodes(node, this.#root)) then(this.repair(part, current.value, path))
    for (const branches of unionNodes(node)) then(this.#repairUnion(branches, current.value, path))
    then(readAsDeclared(node.schema, current.value, path))
    if (isObject(current.value)) then(this.#repairProperties(node, current.value, path))
    else if (Array.isArray(current.value)) then(this.#repairItems(node, current.value, path))
    return current
  }

  /** Takes the branch that needs the fewest changes; a value that fits one already stays. */
  #repairUnion(branches: readonly SchemaNode[], value: unknown, path: ArgumentPath): Repaired {
    const possible = branches.filter((branch) => mayDescribe(branch.schema, value, this.#root))
    const [only] = possible
    // To ask whether a value fits follows it down to its end, at each level anew.
    if (only && possible.length === 1) return this.repair(only, value, path)
    const unchanged = { value, notes: [] }
    if (possible.some(({ pointer }) => this.#compiled.isFineAt(pointer, value))) return unchanged
    let best: Repaired | null = null
    this.#unions += 1
    for (const branch of possible) {
      const candidate = this.repair(branch, value, path)
      if (!this.#compiled.isFineAt(branch.pointer, candidate.value)) continue
      if (!best || candidate.notes.length < best.notes.length) best = candidate
    }
    this.#unions -= 1
    return best ?? unchanged
  }

  #repairProperties(
    node: SchemaNode,
    value: Record<string, unknown>,
    path: ArgumentPath,
  ): Repaired {
    const notes: string[] = []
    const changes = new Map<string, unknown>()
    for (const key of Object.keys(value)) {
      const child = propertyNode(node, key)
      if (!child) continue
      const inner = [...path, key]
      if (this.#isUnusedField(node.schema, key, value[key])) {
        notes.push(`${fieldName(inner)}: empty text left out`)
        changes.set(key, dropped)
        continue
      }
      const repaired = this.repair(child, value[key], inner)
      for (const note of repaired.notes) notes.push(note)
      if (repaired.value !== value[key]) changes.set(key, repaired.value)
    }
    const isForeign = isAboutObjects(node.schema) && !isPlainObject(value)
    return { value: isForeign || changes.size > 0 ? changed(value, changes) : value, notes }
  }

  #isUnusedField(schema: JsonSchema, key: string, value: unknown): boolean {
    if (!isBlank(value)) return false
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
      for (const note of repaired.notes) notes.push(note)
      return repaired.value
    })
    const changed = items.some((item, index) => item !== value[index])
    return { value: changed ? items : value, notes }
  }
}

const dropped = Symbol("dropped")

/** fromEntries defines keys instead of assigning them, so "__proto__" stays an ordinary key. */
function changed(value: Record<string, unknown>, changes: ReadonlyMap<string, unknown>): unknown {
  const entries = Object.entries(value)
    .map(([key, part]) => [key, changes.has(key) ? changes.get(key) : part] as const)
    .filter(([, part]) => part !== dropped)
  return Object.fromEntries(entries)
}
