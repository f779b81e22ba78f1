import type { ErrorObject } from "ajv/dist/core.js"
import { isObject, isOfType } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { followReference, typesOf } from "../schema/schema-walk.ts"
import { stepsOf, textSteps } from "./count-steps.ts"
import { judgeItems } from "./interpret-items.ts"
import { judgeProperties } from "./interpret-properties.ts"
import type { StepBudget } from "./step-budget.ts"
import { type KeywordRule, valueRules } from "./value-rules.ts"

/** A value, and where in the input it is. */
export interface Place {
  readonly value: unknown
  readonly path: string
  /** Set where the value is the name of a property. */
  readonly propertyName?: string
}

/** What of a value has been looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Seen {
  readonly keys: Set<string>
  items: number
}

type Rules = Readonly<Record<string, KeywordRule>>

export interface Interpretation {
  readonly root: JsonSchema
  readonly budget: StepBudget
  readonly marks?: Rules
}

/**
 * Judges a value by a schema without compiling it, for places that forbid `new Function`, such as a page with a content
 * security policy. Null for a valid value; else what Ajv would complain about, in Ajv's form and order.
 */
export function interpretSchema(
  schema: unknown,
  value: unknown,
  interpretation: Interpretation,
): readonly ErrorObject[] | null {
  const interpreter = new Interpreter(interpretation)
  return interpreter.judge(schema, { value, path: "" }) ? null : interpreter.problems
}

export class Interpreter {
  readonly problems: ErrorObject[] = []
  readonly #root: JsonSchema
  readonly #budget: StepBudget
  readonly #marks: Rules

  constructor({ root, budget, marks = {} }: Interpretation) {
    this.#root = root
    this.#budget = budget
    this.#marks = marks
  }

  /** What it has seen of a valid value; null for one that the schema refuses. */
  judge(schema: unknown, at: Place): Seen | null {
    const seen: Seen = { keys: new Set(), items: 0 }
    if (isObject(schema)) return this.#judgeObject(schema, at, seen) ? seen : null
    if (schema !== false) return seen
    this.refuse("false schema", { schema: {}, at, message: "boolean schema is false" })
    return null
  }

  /** The same value by another schema, with what that has seen of it. */
  also(schema: unknown, at: Place, seen: Seen): boolean {
    const found = this.judge(schema, at)
    if (found === null) return false
    for (const key of found.keys) seen.keys.add(key)
    seen.items = Math.max(seen.items, found.items)
    return true
  }

  /** Notes a problem; false, for the caller to return. */
  refuse(keyword: string, { schema, at, message, params = {} }: Refusal): false {
    const { value: data, path: instancePath, propertyName } = at
    this.problems.push({
      ...{ keyword, instancePath, schemaPath: "", params, message, parentSchema: schema, data },
      ...(propertyName !== undefined && { propertyName }),
    })
    return false
  }

  #judgeObject(schema: JsonSchema, at: Place, seen: Seen): boolean {
    const { value } = at
    this.#budget.take(stepsOf(schema) + (typeof value === "string" ? textSteps(value) : 0))
    const types = typesOf(schema)
    if (types.length > 0 && !types.some((type) => isOfType(value, type) && isJsonNumber(value))) {
      return this.refuse("type", { schema, at, message: `must be ${types.join(",")}` })
    }
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
    const fits = (rules: Rules = {}) => this.#keep(rules, schema, at)
    return (
      fits(valueRules[type]) &&
      fits(this.#marks) &&
      fits(valueRules.any) &&
      this.#combine(schema, at, seen) &&
      (Array.isArray(value) ? judgeItems(this, { value, schema, at, seen }) : true) &&
      (isObject(value) ? judgeProperties(this, { value, schema, at, seen }) : true)
    )
  }

  #keep(rules: Rules, schema: JsonSchema, at: Place): boolean {
    const context = { schema, budget: this.#budget }
    for (const keyword of Object.keys(rules)) {
      if (!Object.hasOwn(schema, keyword)) continue
      const message = rules[keyword]?.(at.value as never, schema[keyword] as never, context) ?? null
      if (message !== null) return this.refuse(keyword, { schema, at, message })
    }
    return true
  }

  #combine(schema: JsonSchema, at: Place, seen: Seen): boolean {
    const { $ref, not, anyOf, oneOf, allOf = [] } = schema
    if ($ref !== undefined) {
      const target = followReference(this.#root, $ref)
      if (!target || !this.also(target.schema, at, seen)) return false
    }
    if (not !== undefined && this.#fits(not, at)) {
      return this.refuse("not", { schema, at, message: "must NOT be valid" })
    }
    if (anyOf && this.#countFitting(anyOf, at, seen) === 0) {
      return this.refuse("anyOf", { schema, at, message: "must match a schema in anyOf" })
    }
    if (oneOf && this.#countFitting(oneOf, at, seen) !== 1) {
      return this.refuse("oneOf", { schema, at, message: "must match exactly one schema in oneOf" })
    }
    return allOf.every((part) => this.also(part, at, seen)) && this.#branch(schema, at, seen)
  }

  /** Without a trace of what is wrong. */
  #fits(schema: unknown, at: Place, seen: Seen = { keys: new Set(), items: 0 }): boolean {
    const before = this.problems.length
    const fits = this.also(schema, at, seen)
    this.problems.length = before
    return fits
  }

  /** The problems of the others stay unless one fits. */
  #countFitting(branches: readonly unknown[], at: Place, seen: Seen): number {
    const before = this.problems.length
    const fitting = branches.filter((branch) => this.also(branch, at, seen)).length
    if (fitting === 1) this.problems.length = before
    return fitting
  }

  #branch(schema: JsonSchema, at: Place, seen: Seen): boolean {
    if (schema.if === undefined) return true
    const clause = this.#fits(schema.if, at, seen) ? "then" : "else"
    const chosen = schema[clause]
    if (chosen === undefined || this.also(chosen, at, seen)) return true
    return this.refuse("if", { schema, at, message: `must match "${clause}" schema` })
  }
}

interface Refusal {
  readonly schema: JsonSchema
  readonly at: Place
  readonly message: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** NaN and the infinities are not. */
function isJsonNumber(value: unknown): boolean {
  return typeof value !== "number" || Number.isFinite(value)
}
