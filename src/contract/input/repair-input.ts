import { limits } from "../limits.ts"
import { fieldName } from "../schema/argument-path.ts"
import { isObject, isOfType, isPlainObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { copyWith, mapParts, ownProperty, partNodes, unionNodes } from "../schema/schema-places.ts"
import { isAboutObjects, referredNode, type SchemaNode, typesOf } from "../schema/schema-walk.ts"
import type { CompiledSchema } from "../validate/compile-schema.ts"
import { isBlank, isBlankMeaningless } from "../validate/instrument-schema.ts"
import { isTooMuchWork } from "../validate/step-budget.ts"
import type { InexactNumber } from "./parse-exactly.ts"
import { type ParseBudget, readAsDeclared, trimBriefly } from "./read-as-declared.ts"

interface Repaired {
  readonly value: unknown
  /** What was changed, one sentence each, for the envelope's warnings. */
  readonly notes: readonly string[]
}

interface RepairedInput extends Repaired {
  /** A number in a text that was read, which would become another one. */
  readonly inexact: InexactNumber | null
}

/** What one repair costs in steps of a check: it is slower, and in unions within unions it is one of many tries. */
const repairSteps = { alone: 5, inUnions: 50 }

/**
 * Reads an input that did not fit as its author most likely meant it. Only parts that the schema
 * refuses are touched, and never in place. An input that takes too many steps stays as it is. The result must be checked again.
 */
export function repairInput(
  root: JsonSchema,
  compiled: CompiledSchema,
  input: unknown,
): RepairedInput {
  const notes: string[] = []
  const unwrapped = unwrap(root, input, notes)
  const repairer = new Repairer(root, compiled)
  const unchanged = { value: unwrapped, notes: [...notes], inexact: null }
  compiled.budget.start(unwrapped)
  try {
    const value = repairer.repair({ schema: root, pointer: [] }, unwrapped, notes)
    return { value, notes, inexact: repairer.inexact }
  } catch (error) {
    if (isTooMuchWork(error)) return unchanged
    throw error
  }
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
  inexact: InexactNumber | null = null
  readonly #root: JsonSchema
  readonly #compiled: CompiledSchema
  /** Where in the input the present value stands. */
  readonly #path: (string | number)[] = []
  /** How many unions it stands in; each multiplies the work. */
  #unions = 0
  readonly #isBlankUnused = new Map<JsonSchema, boolean>()
  readonly #budget: ParseBudget = { characters: limits.inputBytes }

  constructor(root: JsonSchema, compiled: CompiledSchema) {
    this.#root = root
    this.#compiled = compiled
  }

  repair(node: SchemaNode, value: unknown, notes: string[]): unknown {
    this.#compiled.budget.take(this.#unions > 1 ? repairSteps.inUnions : repairSteps.alone)
    let current = value
    for (const part of partNodes(node, this.#root)) current = this.repair(part, current, notes)
    for (const union of unionNodes(node)) current = this.#repairUnion(union, current, notes)
    const read = readAsDeclared(node.schema, current, this.#budget)
    if (read) {
      current = read.value
      if (read.inexact) {
        const path = [...this.#path, ...read.inexact.path]
        this.inexact ??= { path, source: read.inexact.source }
      }
      notes.push(`${this.#path.length === 0 ? "arguments" : fieldName(this.#path)}: ${read.change}`)
    }
    return this.#repairParts(node, current, notes)
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

  #repairParts(node: SchemaNode, value: unknown, notes: string[]): unknown {
    const repaired = mapParts(node, value, (child, part, step) => {
      this.#path.push(step)
      const unused = this.#unusedField(node.schema, child, { key: String(step), value: part })
      if (unused) notes.push(`${fieldName(this.#path)}: ${unused} left out`)
      const changed = unused ? undefined : this.repair(child, part, notes)
      this.#path.pop()
      return changed
    })
    // Copied: an object of another prototype may have keys that are not its own.
    const isForeign = isObject(repaired) && !isPlainObject(repaired)
    return isForeign && isAboutObjects(node.schema) ? copyWith(repaired, new Map()) : repaired
  }

  /** What a model sends for an optional field that it does not use, as a noun; null for anything else. */
  #unusedField(schema: JsonSchema, child: SchemaNode, { key, value }: Field): string | null {
    if (value !== null && typeof value !== "string") return null
    const property = ownProperty(schema, key)
    if (!property || schema.required?.includes(key)) return null
    if (value === null) return this.#compiled.isFineAt(child.pointer, null) ? null : "null"
    const isUnused = this.#isBlankUnused.get(property) ?? isBlankMeaningless(property, this.#root)
    this.#isBlankUnused.set(property, isUnused)
    // Asked last: it walks through all blanks of a text.
    return isUnused && isBlank(value) ? "empty text" : null
  }
}

interface Field {
  readonly key: string
  readonly value: unknown
}

/** Could the value be meant for this branch of a union, by its type and its tags alone? */
function mayDescribe(branch: JsonSchema, value: unknown, root: JsonSchema): boolean {
  if (!isObject(branch)) return branch
  const target = referredNode(branch, root)?.schema
  if (target && !mayDescribe(target, value, root)) return false
  return mayBeOfType(branch, value) && hasFittingTags(branch, value)
}

/** Text may still be read as another type, and 1.5 is for a branch of integers what it is for one of numbers. */
function mayBeOfType(schema: JsonSchema, value: unknown): boolean {
  if (schema.type === undefined || typeof value === "string") return true
  return typesOf(schema).some((type) => isOfType(value, type === "integer" ? "number" : type))
}

/** A property with a constant is a tag, written in any case. */
function hasFittingTags(schema: JsonSchema, value: unknown): boolean {
  if (!isObject(value)) return true
  return Object.entries(schema.properties ?? {}).every(([name, { const: tag }]) => {
    if (typeof tag !== "string" || !Object.hasOwn(value, name)) return true
    const given = value[name]
    const text = typeof given === "string" ? trimBriefly(given) : null
    return text?.length === tag.length && text.toLowerCase() === tag.toLowerCase()
  })
}
