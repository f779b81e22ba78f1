import fc from "fast-check"
import type { JsonSchema } from "../../src/contract/index.ts"
import type { Random } from "./random.ts"

/** Keywords that the generator follows, or that say nothing about a value. */
const followed = new Set(
  (
    "$schema $ref $defs definitions title description default examples type enum const properties required " +
    "additionalProperties patternProperties unevaluatedProperties minProperties items prefixItems additionalItems minItems " +
    "maxItems uniqueItems minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum " +
    "multipleOf anyOf oneOf allOf"
  ).split(" "),
)

/** Keywords that it does not follow: its values may break them, which is one more mutation. */
const unfollowed = new Set(
  "not if then else propertyNames maxProperties dependentRequired contains".split(" "),
)

const formats: Readonly<Record<string, readonly string[]>> = {
  date: ["2024-02-29", "1999-12-31"],
  email: ["a@example.com", "b.c+d@example.org"],
}

/** The same for all generators: which of them is picked is what a seed decides. */
const samplesOf = new Map<string, readonly string[]>()

/** Makes values that a schema accepts, for the keywords it knows. It throws for any other. */
export class ValidValues {
  readonly #root: JsonSchema
  readonly #random: Random
  readonly #wanted: number

  /** `wanted` is how often what may be left out is there. */
  constructor(root: JsonSchema, random: Random, wanted = 0.5) {
    this.#root = root
    this.#random = random
    this.#wanted = wanted
  }

  next(): unknown {
    return this.#value(this.#root, 0)
  }

  #value(schema: JsonSchema | boolean, depth: number): unknown {
    if (typeof schema === "boolean") return this.#random.pick([1, "any", true])
    requireKnown(schema)
    if (schema.$ref !== undefined) return this.#value(this.#target(schema.$ref), depth)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return this.#random.pick(schema.enum)
    const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (branches && schema.properties === undefined) {
      // The first branch of a union that contains itself is the one that ends.
      const branch = depth > 6 ? branches[0] : this.#random.pick(branches)
      return this.#value(branch ?? {}, depth)
    }
    const type = schema.type === undefined ? "string" : this.#random.pick([schema.type].flat())
    switch (type) {
      case "string":
        return this.#text(schema)
      case "integer":
      case "number":
        return this.#number(schema, type)
      case "boolean":
        return this.#random.chance(0.5)
      case "null":
        return null
      case "array":
        return this.#array(schema, depth)
      case "object":
        return this.#object(schema, depth)
      default:
        return type satisfies never
    }
  }

  #object(schema: JsonSchema, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = []
    const known = Object.entries(schema.properties ?? {})
    // From here on all of them, so that there are as many as there must be.
    const from = known.length - Number(schema.minProperties ?? 0)
    for (const [index, [name, part]] of known.entries()) {
      const isWanted =
        schema.required?.includes(name) || (depth < 6 && this.#random.chance(this.#wanted))
      if (isWanted || index >= from) entries.push([name, this.#value(part, depth + 1)])
    }
    const patterns = Object.entries(Object(schema.patternProperties) as Record<string, JsonSchema>)
    for (const [pattern, part] of patterns) {
      const name = this.#random.pick(this.#matching(pattern))
      if (this.#random.chance(0.7)) entries.push([name, this.#value(part, depth + 1)])
    }
    if (typeof schema.additionalProperties === "object" && depth < 6) {
      const name = this.#random.pick(["x", "other key", "constructor", "名"])
      entries.push([name, this.#value(schema.additionalProperties, depth + 1)])
    }
    return Object.fromEntries(entries)
  }

  #array(schema: JsonSchema, depth: number): unknown[] {
    const isTuple = Array.isArray(schema.items) || Array.isArray(schema.prefixItems)
    const first = (isTuple ? (schema.prefixItems ?? schema.items) : []) as readonly JsonSchema[]
    const rest = isTuple && schema.prefixItems === undefined ? schema.additionalItems : schema.items
    const values = first.map((part) => this.#value(part, depth + 1))
    if (rest === false) return values
    const least = Number(schema.minItems ?? 0)
    const most = Math.min(Number(schema.maxItems ?? 5), least + 5)
    const wanted = depth > 6 ? least : least + this.#random.below(most - least + 1)
    while (values.length < wanted) values.push(this.#value(Object(rest ?? {}), depth + 1))
    if (!schema.uniqueItems) return values
    return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
  }

  #number(schema: JsonSchema, type: "integer" | "number"): number {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
    const step = Number(multipleOf ?? (type === "integer" ? 1 : 0.25))
    const least = Number(minimum ?? Number(exclusiveMinimum ?? -1000) + step)
    const most = Number(maximum ?? Number(exclusiveMaximum ?? least + 2000) - step)
    const steps = Math.floor((most - least) / step)
    return least + step * this.#random.pick([0, steps, this.#random.below(steps + 1)])
  }

  #text(schema: JsonSchema): string {
    if (typeof schema.format === "string") {
      const samples = formats[schema.format]
      if (!samples) throw new Error(`No sample of the format ${schema.format}: add one.`)
      return this.#random.pick(samples)
    }
    if (typeof schema.pattern === "string") return this.#random.pick(this.#matching(schema.pattern))
    const words = [
      "a",
      "src/main.ts",
      "15",
      "true",
      "*.ts",
      "héllo 語 😀",
      "line\nline",
      "{}",
      "[1]",
      "-0",
    ]
    const least = Number(schema.minLength ?? 0)
    const most = Number(schema.maxLength ?? 100)
    const text = this.#random.pick(words).padEnd(least, "x")
    return [...text].slice(0, most).join("")
  }

  /** Made once for each pattern: to make them takes longer than to check thousands of inputs. */
  #matching(pattern: string): readonly string[] {
    const known = samplesOf.get(pattern)
    if (known) return known
    const matching = fc.stringMatching(new RegExp(pattern, "u"))
    const samples = fc.sample(matching, { seed: 1, numRuns: 50 })
    samplesOf.set(pattern, samples)
    return samples
  }

  #target(reference: string): JsonSchema {
    const parts = reference.slice(2).split("/")
    if (reference === "#") return this.#root
    return parts.reduce<JsonSchema>((inside, part) => Object(inside[part]), this.#root)
  }
}

function requireKnown(schema: JsonSchema): void {
  for (const keyword of Object.keys(schema)) {
    if (followed.has(keyword) || unfollowed.has(keyword)) continue
    throw new Error(`The generator of inputs does not know the keyword ${keyword}: teach it.`)
  }
}
