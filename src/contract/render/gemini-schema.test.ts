import { expect, it } from "vitest"
import { z } from "zod"
import { defineTool, type JsonSchema, renderTools } from "../index.ts"
import { geminiSchema } from "./gemini-schema.ts"

const object = (properties: Record<string, JsonSchema>, rest: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...rest,
})

it.each<[string, JsonSchema, JsonSchema]>([
  ["one value", { const: "a" }, { type: "string", enum: ["a"] }],
  ["one number", { const: 3 }, { type: "number", enum: [3] }],
  ["a truth, which it can't offer", { type: "boolean", const: true }, { type: "boolean" }],
  [
    "choices with null",
    { type: ["string", "null"], enum: ["a", null] },
    { type: ["string", "null"], enum: ["a"] },
  ],
  [
    "an integer above and below",
    { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 },
    { type: "integer", minimum: 1, maximum: 9 },
  ],
  ["a number above", { type: "number", exclusiveMinimum: 0 }, { type: "number", minimum: 0 }],
  [
    "lengths, patterns and unknown formats",
    { type: "string", minLength: 1, pattern: "^a", format: "uri", description: "A link." },
    { type: "string", description: "A link." },
  ],
  ["a known format", { type: "string", format: "date" }, { type: "string", format: "date" }],
  [
    "a list of one sort",
    { type: "array", items: { const: "a" }, minItems: 1, uniqueItems: true },
    { type: "array", items: { type: "string", enum: ["a"] }, minItems: 1 },
  ],
  [
    "a list by position, as draft-07 has it",
    { type: "array", items: [{ const: "a" }, { type: "null" }] },
    { type: "array", prefixItems: [{ type: "string", enum: ["a"] }, { type: "null" }] },
  ],
  ["a list of anything", { type: "array", items: true }, { type: "array" }],
  [
    "alternatives",
    { oneOf: [{ const: "a" }, { anyOf: [{ type: "integer", not: { const: 3 } }] }] },
    { oneOf: [{ type: "string", enum: ["a"] }, { anyOf: [{ type: "integer" }] }] },
  ],
  [
    "parts of one object",
    {
      allOf: [
        { type: "object", properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: { type: "string" } }, required: ["b"] },
      ],
    },
    {
      type: "object",
      properties: { a: { type: "number", enum: [1] }, b: { type: "string" } },
      required: ["a", "b"],
    },
  ],
  [
    "values by name",
    { type: "object", additionalProperties: { const: "a" }, propertyNames: { pattern: "^x" } },
    { type: "object", additionalProperties: { type: "string", enum: ["a"] } },
  ],
  [
    "values by a pattern of names",
    { type: "object", patternProperties: { "^x": { const: "a" } }, additionalProperties: false },
    { type: "object", additionalProperties: { type: "string", enum: ["a"] } },
  ],
  [
    "values by several patterns",
    { type: "object", patternProperties: { "^x": {}, "^y": {} }, additionalProperties: false },
    { type: "object", additionalProperties: true },
  ],
])("Y3: Gemini's words for %s", (_, given, expected) => {
  expect(geminiSchema(object({ it: given }))).toEqual(object({ it: expected }))
})

it("Y3: a reference becomes what it leads to, with the description that stands beside it", () => {
  const given = object(
    { one: { $ref: "#/$defs/id", description: "The first." }, two: { $ref: "#/definitions/id" } },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { id: { type: "string", description: "An id.", minLength: 1 } },
      definitions: { id: { $ref: "#/$defs/id" } },
    },
  )
  expect(geminiSchema(given)).toEqual(
    object({
      one: { type: "string", description: "The first." },
      two: { type: "string", description: "An id." },
    }),
  )
})

it("Y3: a schema that contains itself ends", () => {
  const tree = object({ name: { type: "string" }, children: { type: "array", items: {} } })
  const node = { ...tree, properties: { ...tree.properties, children: list("#/$defs/node") } }
  const given = object({ root: { $ref: "#/$defs/node" } }, { $defs: { node } })
  expect(geminiSchema(given)).toEqual(object({ root: tree }))
  const itself = object({ inner: { $ref: "#", description: "One more." } })
  expect(geminiSchema(itself)).toEqual(object({ inner: { description: "One more." } }))
})

const list = ($ref: string): JsonSchema => ({ type: "array", items: { $ref } })

it("Y3: of zod's schemas, only documented words reach Gemini, and the tool's own schema stays as it is", () => {
  const tool = defineTool({
    name: "demo.all",
    description: "Takes all.",
    input: z.strictObject({
      count: z.int().positive().max(10),
      link: z.url(),
      mode: z.literal("fast"),
      shape: z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("a"), size: z.number().gt(0) }),
        z.strictObject({ kind: z.literal("b"), tags: z.array(z.string().min(1)).min(1) }),
      ]),
      more: z.record(z.string(), z.number()).optional(),
    }),
    run: () => null,
  })
  const before = JSON.stringify(tool.inputSchema)
  const [rendered] = renderTools("gemini", [tool])
  const words = new Set<string>()
  JSON.stringify(rendered?.parametersJsonSchema, (key, value) => {
    if (Number.isNaN(Number(key)) && key !== "") words.add(key)
    return value
  })
  const arguments_ = "count link mode shape more kind size tags".split(" ")
  expect([...words].filter((word) => !arguments_.includes(word)).toSorted()).toEqual(
    "additionalProperties enum items maximum minItems minimum oneOf properties required type".split(
      " ",
    ),
  )
  expect(JSON.stringify(tool.inputSchema)).toBe(before)
})
