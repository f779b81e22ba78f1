import { _, type CodeKeywordDefinition } from "ajv/dist/core.js"
import type { JsonSchema } from "../schema/json-schema.ts"
import { mapKeyword, mapSchemas } from "../schema/schema-walk.ts"
import { countValues, type StepBudget } from "./step-budget.ts"

/** Keywords whose schemas are applied to each entry of a value: how often, no schema says. */
const perEntry =
  "items additionalItems contains unevaluatedItems additionalProperties patternProperties propertyNames unevaluatedProperties".split(
    " ",
  )

/** Keywords whose work grows with the length of a text. */
const aboutText = ["pattern", "format", "minLength", "maxLength"]

/**
 * The schema, and in it marks for Ajv that count the steps of a check. Each schema takes the steps of those directly inside it, whatever
 * they say, so that one which is not marked itself is also counted.
 */
export function markSteps(root: JsonSchema): JsonSchema {
  return mapSchemas(root, (schema) => {
    const entries = Object.entries(schema).map(([keyword, value]) => [
      keyword,
      perEntry.includes(keyword) ? mapKeyword(keyword, value, counted) : value,
    ])
    const marked: JsonSchema = Object.fromEntries(entries)
    const withText = aboutText.some((keyword) => schema[keyword] !== undefined)
      ? { ...marked, textSteps: true }
      : marked
    return stepsOf(schema) > 1 ? counted(withText) : withText
  })
}

function counted(schema: JsonSchema): JsonSchema {
  return schema.steps === undefined ? { ...schema, steps: stepsOf(schema) } : schema
}

/** A schema's own step, and one for each schema, name and choice that stands directly in it. */
export function stepsOf(schema: JsonSchema): number {
  let steps = 1
  for (const [keyword, value] of Object.entries(schema)) {
    if (compared.has(keyword)) steps += countValues(value, Number.POSITIVE_INFINITY)
    else if (applied.has(keyword) || perEntry.includes(keyword)) {
      steps += several.has(keyword) || Array.isArray(value) ? Object.keys(Object(value)).length : 1
    }
  }
  return steps
}

/** Keywords that are compared with a value, part by part. */
const compared = new Set("enum const required dependentRequired".split(" "))

/** Keywords whose schemas are applied once. */
const applied = new Set(
  "$ref anyOf oneOf allOf not if then else properties dependentSchemas prefixItems".split(" "),
)
const several = new Set(["properties", "patternProperties", "dependentSchemas"])

/** The keywords of these marks. */
export function stepKeywords(budget: StepBudget): readonly CodeKeywordDefinition[] {
  return [
    {
      keyword: "steps",
      // Before all that leads to other schemas.
      before: "$ref",
      code({ gen, schema }) {
        const meter = gen.scopeValue("obj", { ref: budget })
        gen.if(_`(${meter}.left -= ${schema}) < 0`, () => gen.code(_`${meter}.extend()`))
      },
    },
    {
      keyword: "textSteps",
      type: "string",
      before: "pattern",
      code({ gen, data }) {
        const meter = gen.scopeValue("obj", { ref: budget })
        const isOver = _`(${meter}.left -= ${data}.length >>> ${charactersPerStep}) < 0`
        gen.if(isOver, () => gen.code(_`${meter}.extend()`))
      },
    },
  ]
}

/** As a power of two. */
const charactersPerStep = 8

/** What a text costs beside the steps of its schema. */
export function textSteps(text: string): number {
  return text.length >>> charactersPerStep
}
