import { fieldName } from "../schema/argument-path.ts"
import { mayDescribe } from "../schema/can-match-branch.ts"
import { isObject, isPlainObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import {
  itemNode,
  ownProperty,
  partNodes,
  propertyNode,
  unionNodes,
} from "../schema/schema-places.ts"
import type { SchemaNode } from "../schema/schema-walk.ts"
import { isBlank, isBlankMeaningless } from "../validate/blank-text.ts"
import type { CompiledSchema } from "../validate/compile-schema.ts"
import { isAboutObjects } from "../validate/instrument-schema.ts"
import { readAsDeclared } from "./read-as-declared.ts"

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
  const notes: string[] = []
  const unwrapped = unwrap(root, input, notes)
  const repairer = new Repairer(root, compiled)
  return { value: repairer.repair({ schema: root, pointer: [] }, unwrapped, notes), notes }
}

/** Some models send `{"properties": {...}}`, the schema's own shape, around the arguments. */
function unwrap(root: JsonSchema, input: unknown, notes: string[]): unknown {
  const declared = root.properties ?? {}
  const inner = isObject(input) ? input.properties : undefined
  const isWrapper =
    isObject(inner) &&
    !Object.hasOwn(declared, "properties") &&
    Object.keys(Object(input)).length === 1 &&
    Object.keys(inner).some((key) => Object.hasOwn(declared, key))
  if (!isWrapper) return input
  notes.push('arguments taken out of a "properties" wrapper')
  return inner
}

class Repairer {
  readonly #root: JsonSchema
  readonly #compiled: CompiledSchema
  /** Where in the input the present value stands. */
  readonly #path: (string | number)[] = []
  /** How many unions it stands in; each multiplies the work. */
  #unions = 0
  #steps = 0

  constructor(root: JsonSchema, compiled: CompiledSchema) {
    this.#root = root
    this.#compiled = compiled
  }

  repair(node: SchemaNode, value: unknown, notes: string[]): unknown {
    if (this.#unions > 1) this.#steps += 1
    if (this.#steps > mostSteps) return value
    let current = value
    for (const part of partNodes(node, this.#root)) current = this.repair(part, current, notes)
    for (const union of unionNodes(node)) current = this.#repairUnion(union, current, notes)
    const read = readAsDeclared(node.schema, current)
    if (read) {
      current = read.value
      notes.push(`${this.#path.length === 0 ? "arguments" : fieldName(this.#path)}: ${read.change}`)
    }
    if (isObject(current)) return this.#repairProperties(node, current, notes)
    return Array.isArray(current) ? this.#repairItems(node, current, notes) : current
  }

  /** Takes the branch that needs the fewest changes; a value that fits one already stays. */
  #repairUnion(branches: readonly SchemaNode[], value: unknown, notes: string[]): unknown {
    const possible = branches.filter((branch) => mayDescribe(branch.schema, value, this.#root))
    const [only] = possible
    // Asking whether a value fits walks all of it, again at each level.
    if (only && possible.length === 1) return this.repair(only, value, notes)
    if (possible.some(({ pointer }) => this.#compiled.isFineAt(pointer, value))) return value
    let best: Repaired = { value, notes: [] }
    this.#unions += 1
    for (const branch of possible) {
      const changes: string[] = []
      const candidate = this.repair(branch, value, changes)
      if (!this.#compiled.isFineAt(branch.pointer, candidate)) continue
      const isFirst = best.value === value
      if (isFirst || changes.length < best.notes.length) best = { value: candidate, notes: changes }
    }
    this.#unions -= 1
    for (const note of best.notes) notes.push(note)
    return best.value
  }

  #repairProperties(node: SchemaNode, value: Record<string, unknown>, notes: string[]): unknown {
    const changes = new Map<string, unknown>()
    for (const key of Object.keys(value)) {
      const child = propertyNode(node, key)
      if (!child) continue
      this.#path.push(key)
      const part = value[key]
      const isUnused = this.#isUnusedField(node.schema, key, part)
      if (isUnused) notes.push(`${fieldName(this.#path)}: empty text left out`)
      const repaired = isUnused ? dropped : this.repair(child, part, notes)
      if (repaired !== part) changes.set(key, repaired)
      this.#path.pop()
    }
    const isForeign = isAboutObjects(node.schema) && !isPlainObject(value)
    return isForeign || changes.size > 0 ? changed(value, changes) : value
  }

  #isUnusedField(schema: JsonSchema, key: string, value: unknown): boolean {
    if (!isBlank(value)) return false
    const property = ownProperty(schema, key)
    if (!property || schema.required?.includes(key)) return false
    return isBlankMeaningless(property, this.#root)
  }

  #repairItems(node: SchemaNode, value: readonly unknown[], notes: string[]): unknown {
    let isChanged = false
    const items = value.map((item, index) => {
      const child = itemNode(node, index)
      if (!child) return item
      this.#path.push(index)
      const repaired = this.repair(child, item, notes)
      this.#path.pop()
      isChanged ||= repaired !== item
      return repaired
    })
    return isChanged ? items : value
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
