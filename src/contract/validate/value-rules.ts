import { fullFormats } from "ajv-formats/dist/formats.js"
import type { JsonSchema } from "../schema/json-schema.ts"
import { countCharacters } from "./create-ajv.ts"
import { isSameJson, sameItems } from "./same-items.ts"
import type { StepBudget } from "./step-budget.ts"

/** What a keyword says about a value by itself: null when it holds, else the end of a sentence, as Ajv words it. */
export type KeywordRule = (
  value: never,
  given: never,
  context: { readonly schema: JsonSchema; readonly budget: StepBudget },
) => string | null

/** The keywords that say something about a value of one type, in Ajv's order. */
export const valueRules: Readonly<Record<string, Readonly<Record<string, KeywordRule>>>> = {
  number: {
    maximum: (value: number, most: number) => unless(value <= most, `must be <= ${most}`),
    minimum: (value: number, least: number) => unless(value >= least, `must be >= ${least}`),
    exclusiveMaximum: (value: number, end: number) => unless(value < end, `must be < ${end}`),
    exclusiveMinimum: (value: number, end: number) => unless(value > end, `must be > ${end}`),
    multipleOf: (value: number, unit: number) =>
      unless(Number.isInteger(value / unit), `must be multiple of ${unit}`),
    format: fitsFormat,
  },
  string: {
    maxLength: (value: string, most: number) => atMost(countCharacters(value), most, "characters"),
    minLength: (value: string, least: number) =>
      atLeast(countCharacters(value), least, "characters"),
    pattern: (value: string, pattern: string) =>
      unless(new RegExp(pattern, "u").test(value), `must match pattern "${pattern}"`),
    format: fitsFormat,
  },
  array: {
    maxItems: (value: readonly unknown[], most: number) => atMost(value.length, most, "items"),
    minItems: (value: readonly unknown[], least: number) => atLeast(value.length, least, "items"),
    uniqueItems: (value: readonly unknown[], wanted: boolean, { budget }) =>
      wanted ? sameItems(value, budget) : null,
  },
  object: {
    maxProperties: (value: object, most: number) =>
      atMost(Object.keys(value).length, most, "properties"),
    minProperties: (value: object, least: number) =>
      atLeast(Object.keys(value).length, least, "properties"),
  },
  any: {
    const: (value: unknown, wanted: unknown) =>
      unless(isSameJson(value, wanted), "must be equal to constant"),
    enum: (value: unknown, choices: readonly unknown[]) => {
      const isChoice = choices.some((choice) => isSameJson(value, choice))
      return unless(isChoice, "must be equal to one of the allowed values")
    },
  },
}

function unless(holds: boolean, problem: string): string | null {
  return holds ? null : problem
}

function atMost(count: number, most: number, what: string): string | null {
  return unless(count <= most, `must NOT have more than ${most} ${what}`)
}

function atLeast(count: number, least: number, what: string): string | null {
  return unless(count >= least, `must NOT have fewer than ${least} ${what}`)
}

function fitsFormat(value: string | number, name: keyof typeof fullFormats): string | null {
  const format: unknown = fullFormats[name]
  const isBare = typeof format === "function" || format instanceof RegExp || format === true
  const { type = "string", validate } = isBare
    ? { validate: format }
    : (format as { readonly type?: string; readonly validate: unknown })
  if (typeof value !== type || validate === true) return null
  const fits = validate instanceof RegExp ? validate.test(String(value)) : Object(validate)(value)
  return unless(Boolean(fits), `must match format "${name}"`)
}
