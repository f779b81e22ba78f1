import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileSchema } from "./compile-schema.ts"
import { describeProblem } from "./describe-problem.ts"

/** A key of this name makes a value look like a promise, and so is not written out. */
const consequence = "then"
const text = { type: "string" } as const
const closed = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
})
const one = (schema: JsonSchema) => closed({ a: schema }, { required: ["a"] })

const ways = ["compiled", "interpreted"] as const

/** What both say about a value: the judgement, and the failure that a model would read. */
function opinions(schema: JsonSchema, value: unknown) {
  return ways.map((way) => {
    const { judge, problems } = compileSchema(schema, way)
    const found = problems(value)
    return { judgement: judge(value), said: found && describeProblem(found, value, schema) }
  })
}

const cases: readonly (readonly [name: string, schema: JsonSchema, values: readonly unknown[]])[] =
  [
    ["types", one({ type: ["integer", "null"] }), [1, 1.5, null, "1", Number.NaN, [], {}]],
    ["numbers", one({ type: "number", minimum: 1, exclusiveMaximum: 5 }), [0, 1, 4.9, 5]],
    ["other numbers", one({ exclusiveMinimum: 1, maximum: 5, multipleOf: 0.5 }), [1, 1.5, 1.2, 6]],
    ["lengths", one({ ...text, minLength: 2, maxLength: 3 }), ["a", "ab", "abcd", "👍👍", "👍"]],
    ["patterns", one({ ...text, pattern: "^\\p{L}+$" }), ["é", "1", ""]],
    ["formats", one({ ...text, format: "email" }), ["a@example.com", "a", 7]],
    ["dates", one({ ...text, format: "date" }), ["2024-02-29", "2023-02-29"]],
    ["formats of numbers", one({ format: "int32" }), [1, 2 ** 40, "text"]],
    ["choices", one({ enum: ["on", 1, null, { b: [1] }] }), ["on", "off", 1, null, { b: [1] }]],
    ["constants", one({ const: { b: 1, c: 2 } }), [{ c: 2, b: 1 }, { b: 1 }, 1]],
    ["lists", one({ type: "array", items: text, minItems: 1, maxItems: 2 }), [[], ["a"], [1], "a"]],
    [
      "unique items",
      one({ type: "array", uniqueItems: true }),
      [
        [1, 2],
        [{ a: 1 }, { a: 1 }],
      ],
    ],
    [
      "tuples",
      one({ prefixItems: [text, { type: "number" }], items: false }),
      [["a", 1], ["a", 1, 2], [1], []],
    ],
    [
      "old tuples",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        ...one({ items: [text], additionalItems: { type: "number" } }),
      },
      [["a", 1], ["a", "b"], [1]],
    ],
    [
      "contained",
      one({ contains: text, minContains: 2, maxContains: 3 }),
      [["a"], ["a", "b", 1], ["a", "b", "c", "d"]],
    ],
    [
      "unevaluated items",
      one({
        type: "array",
        prefixItems: [text],
        anyOf: [{ prefixItems: [{}, text] }, {}],
        unevaluatedItems: false,
      }),
      [["a", "b"], ["a", 1], ["a"]],
    ],
    [
      "keys",
      closed({ a: text, b: text }, { required: ["a"] }),
      [{ a: "x" }, { b: "x" }, { a: "x", c: 1 }, { aa: "x" }],
    ],
    [
      "inherited keys",
      closed({ toString: text }, { required: ["toString"] }),
      [{}, { toString: "a" }],
    ],
    [
      "maps",
      one({
        type: "object",
        additionalProperties: { type: "number" },
        maxProperties: 2,
        minProperties: 1,
      }),
      [{ x: 1 }, { x: "1" }, {}, { x: 1, y: 2, z: 3 }],
    ],
    [
      "patterns of keys",
      one({
        type: "object",
        patternProperties: { "^x": { type: "number" } },
        additionalProperties: false,
      }),
      [{ x1: 1 }, { x1: "a" }, { y: 1 }],
    ],
    [
      "names of keys",
      one({
        type: "object",
        propertyNames: { pattern: "^[a-z]$" },
        additionalProperties: { type: "number" },
      }),
      [{ a: 1 }, { A: 1 }, { a: "x" }],
    ],
    [
      "dependents",
      closed(
        { a: text, b: text, c: text },
        { dependentRequired: { a: ["b"] }, dependentSchemas: { b: { required: ["c"] } } },
      ),
      [{ a: "x" }, { b: "x" }, { a: "x", b: "x", c: "x" }, {}],
    ],
    [
      "unions",
      one({
        anyOf: [
          { type: "number" },
          closed({ kind: { const: "k" }, n: { type: "number" } }, { required: ["kind"] }),
        ],
      }),
      [1, "x", { kind: "k", n: "x" }, { kind: "z" }],
    ],
    [
      "one of several",
      one({ oneOf: [{ type: "integer" }, { type: "number", minimum: 5 }] }),
      [1, 7, 5.5, 2.5],
    ],
    ["all of several", one({ allOf: [{ minimum: 1 }, { maximum: 2 }] }), [0, 1, 3]],
    ["refusals", one({ type: "string", not: { const: "x" } }), ["x", "y"]],
    [
      "conditions",
      closed(
        { a: text, b: text },
        { if: { required: ["a"] }, [consequence]: { required: ["b"] }, else: { required: ["a"] } },
      ),
      [{ a: "x" }, {}, { a: "x", b: "y" }],
    ],
    [
      "references",
      {
        ...closed({ a: { $ref: "#/$defs/node" } }),
        $defs: { node: closed({ next: { $ref: "#/$defs/node" }, n: { type: "number" } }) },
      },
      [{ a: { next: { next: { n: 1 } } } }, { a: { next: { n: "x" } } }],
    ],
    [
      "unevaluated keys",
      {
        type: "object",
        properties: { a: text },
        allOf: [{ properties: { b: text } }],
        anyOf: [{ properties: { c: { type: "number" } }, required: ["c"] }, {}],
        unevaluatedProperties: false,
      },
      [{ a: "x", b: "y" }, { a: "x", c: 1 }, { d: 1 }, { c: "x" }],
    ],
    [
      "unevaluated keys that every object inherits",
      {
        type: "object",
        properties: { a: text },
        anyOf: [{ properties: { toString: text }, required: ["toString"] }, {}],
        unevaluatedProperties: false,
      },
      [{ toString: null }, { toString: "x" }, { constructor: null }, { a: "x", valueOf: 1 }],
    ],
    [
      "defaults and blanks",
      closed({ a: { ...text, default: "x" }, b: text }),
      [{}, { a: "y" }, { b: " " }, { b: "x", a: "y" }],
    ],
    [
      "a schema that refuses everything",
      closed({ a: false as unknown as JsonSchema }),
      [{ a: 1 }, {}],
    ],
  ]

describe("a schema that may not be compiled", () => {
  it.each(cases)("O15: says the same about %s as the compiled one", (_name, schema, values) => {
    const isOne = schema.required?.[0] === "a" && Object.keys(schema.properties ?? {}).length === 1
    for (const value of values) {
      const input = isOne ? { a: value } : value
      const [compiled, interpreted] = opinions(schema, input)
      expect(interpreted, JSON.stringify(input)).toEqual(compiled)
    }
  })

  it("O15: agrees with the compiled one on schemas and values that nobody thought of", () => {
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 1, maxLength: 8 }), (schema, some) => {
        const root = one(schema)
        const [compiled, interpreted] = ways.map((way) => compileSchema(root, way))
        for (const a of some) {
          const agrees = compiled?.judge({ a }) === interpreted?.judge({ a })
          const isSame =
            (compiled?.problems({ a }) === null) === (interpreted?.problems({ a }) === null)
          if (!(agrees && isSame)) throw new Error(JSON.stringify({ schema, a }))
        }
      }),
      { numRuns: 400 },
    )
  })

  it("looks at one place of a schema as the compiled one does", () => {
    const schema = closed({ "a/b": closed({ c: { type: "number" } }) })
    for (const way of ways) {
      const { isFineAt } = compileSchema(schema, way)
      expect(isFineAt(["properties", "a/b"], { c: 1 })).toBe(true)
      expect(isFineAt(["properties", "a/b", "properties", "c"], "1")).toBe(false)
    }
  })
})

const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, 0, 1, 2, 2.5, -1, "", " ", "a", "ab", "2024-01-01"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "toString"), tie("value"), { maxKeys: 3 }),
  ),
})).value

/** Without `contains`: after another list, or beside prefixItems, Ajv accepts an empty one for it. */
const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const inner = tie("schema")
  const list = fc.array(inner, { minLength: 1, maxLength: 2 })
  const small = fc.nat(2)
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      fc.constant<JsonSchema>({ type: "string" }),
      fc.record<JsonSchema>(
        {
          type: fc.constantFrom("number", "integer", "string", "boolean", "null", "array"),
          minimum: small,
          maximum: small,
          multipleOf: fc.constantFrom(1, 2, 0.5),
          minLength: small,
          maxLength: small,
          pattern: fc.constantFrom("^a", "b$"),
          format: fc.constantFrom("date", "email"),
          enum: fc.constantFrom<unknown[]>(["a", 1], [null, [1]], [{ a: 1 }]),
        },
        { requiredKeys: [] },
      ),
      fc.record<JsonSchema>(
        { prefixItems: list, items: inner, minItems: small, maxItems: small },
        { requiredKeys: [] },
      ),
      fc.record<JsonSchema>(
        {
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom("a", "b"), inner, { maxKeys: 2 }),
          patternProperties: fc.dictionary(fc.constant("^c"), inner, { maxKeys: 1 }),
          additionalProperties: fc.oneof(fc.boolean(), inner),
          required: fc.constantFrom([], ["a"], ["c"]),
          minProperties: small,
        },
        { requiredKeys: ["type"] },
      ),
      fc.record<JsonSchema>(
        { anyOf: list, oneOf: list, allOf: list, not: inner },
        { requiredKeys: [] },
      ),
      fc.record<JsonSchema>({ if: inner, [consequence]: inner, else: inner }),
      fc.record<JsonSchema>(
        {
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom("a"), inner, { maxKeys: 1 }),
          anyOf: list,
          allOf: list,
          unevaluatedProperties: fc.oneof(fc.constant(false), inner),
        },
        { requiredKeys: ["type", "unevaluatedProperties"] },
      ),
    ),
  }
}).schema
