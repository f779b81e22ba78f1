import type { JsonSchema } from "../../src/contract/index.ts"
import type { Random } from "./random.ts"

/** What describes the same value twice. Each is given where a schema stands that it may refer to. */
export const overlaps: Readonly<Record<string, (one: JsonSchema, two: JsonSchema) => JsonSchema>> =
  {
    anyOf: (one, two) => ({ anyOf: [one, two] }),
    oneOf: (one, two) => ({ oneOf: [one, { ...two, title: "the same" }] }),
    allOf: (one, two) => ({ allOf: [one, two] }),
    if: (one, two) => ({ if: one, [consequence]: two, else: two }),
    not: (one, two) => ({ allOf: [{ not: { not: one } }, { not: { not: two } }] }),
    dependentSchemas: (one, two) => ({ dependentSchemas: { next: one, leaf: one }, allOf: [two] }),
    unevaluatedProperties: (one, two) => ({
      type: "object",
      anyOf: [{ ...one }, { ...two }],
      unevaluatedProperties: false,
    }),
    "anyOf in anyOf": (one, two) => ({ anyOf: [{ anyOf: [one, two] }, { anyOf: [two, one] }] }),
  }

/** A key of this name makes a value look like a promise, and so is not written out. */
const consequence = "then"

/**
 * Schemas by name, each of which refers to the next through overlaps, and the last to the first: with one name it refers to itself. A value of
 * it goes down by `next`, or by a list, and ends in a leaf.
 */
export function recursiveSchema(random: Random, names: number, kinds: readonly string[]) {
  const reference = (index: number): JsonSchema => ({ $ref: `#/$defs/s${index % names}` })
  const overlap = (index: number) => {
    const next = () => reference(index + 1 + random.below(2))
    return overlaps[random.pick(kinds)]?.(next(), next()) ?? {}
  }
  const definition = (index: number): JsonSchema => ({
    type: "object",
    properties: {
      next: overlap(index),
      list: random.chance(0.5)
        ? { type: "array", items: overlap(index) }
        : { type: "array", contains: overlap(index) },
      leaf: { type: "integer" },
      note: { type: "string", default: "none" },
    },
    additionalProperties: false,
  })
  const entries = Array.from({ length: names }, (_, index) => [`s${index}`, definition(index)])
  return around(reference(0), Object.fromEntries(entries))
}

/** Schemas that each refer to the next one twice. None refers to itself. */
export function diamondSchema(random: Random, levels: number, kinds: readonly string[]) {
  const entries = Array.from({ length: levels }, (_, index) => {
    const next: JsonSchema = { $ref: `#/$defs/s${index + 1}` }
    return [`s${index}`, overlaps[random.pick(kinds)]?.(next, next) ?? {}]
  })
  const leaf = {
    type: "object",
    properties: { leaf: { type: "integer" }, next: { type: "integer" } },
    additionalProperties: false,
  }
  const defs = { ...Object.fromEntries(entries), [`s${levels}`]: leaf }
  return around({ $ref: "#/$defs/s0" }, defs)
}

function around(value: JsonSchema, $defs: NonNullable<JsonSchema["$defs"]>): JsonSchema {
  return { type: "object", properties: { value }, additionalProperties: false, $defs }
}

/** So many levels of `next`, or of lists, and below them a leaf. */
export function nested(levels: number, leaf: unknown, isList = false): unknown {
  let value: unknown = { leaf }
  for (let level = 0; level < levels; level += 1)
    value = isList ? { list: [value] } : { next: value }
  return { value }
}
