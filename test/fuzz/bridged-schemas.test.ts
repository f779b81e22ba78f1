import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DefinitionError, defineTool, type JsonSchema } from "../../src/contract/index.ts"
import { fitSchema } from "../../src/mcp/bridge/tools/fit-schema.ts"

type Draft = "draft-07" | "draft-2020-12"

const names = fc.constantFrom("a", "b", "c")
const patterns = fc.constantFrom("^a", "b$", "[abc]", "^x+$")
const words = fc.constantFrom("a", "ab", "xx", "x-y", "")

/** What tools are called with: small values of few words, so that schemas often match them. */
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    words,
    fc.integer({ min: -1, max: 3 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const objects = fc.dictionary(names, anyValue, { maxKeys: 3, noNullPrototype: true })

/** Schemas with every keyword that is about values, some of which Toolkeep can't enforce. */
function schemas(draft: Draft): fc.Arbitrary<JsonSchema> {
  const isNew = draft === "draft-2020-12"
  const definitions = isNew ? "$defs" : "definitions"
  const { part } = fc.letrec<{ part: JsonSchema | boolean }>((tie) => {
    const inner = tie("part")
    const byName = fc.dictionary(names, inner, { maxKeys: 2, noNullPrototype: true })
    const list = fc.array(inner, { minLength: 1, maxLength: 2 })
    const count = fc.integer({ min: 0, max: 2 })
    const field = <Value>(keyword: string, of: fc.Arbitrary<Value>) =>
      of.map((value) => ({ [keyword]: value }))
    const declared = fc.record(
      { properties: byName, additionalProperties: inner, required: fc.uniqueArray(names) },
      { requiredKeys: ["properties", "additionalProperties"] },
    )
    const common = [
      field("type", fc.constantFrom("string", "integer", "array", "object", ["object", "null"])),
      field("const", anyValue),
      field("enum", fc.array(anyValue, { minLength: 1, maxLength: 3 })),
      field("pattern", patterns),
      field("minimum", count),
      field("maxLength", count),
      field("minItems", count),
      field("uniqueItems", fc.boolean()),
      field("minProperties", count),
      field("required", fc.uniqueArray(names, { maxLength: 2 })),
      field("not", inner),
      field("anyOf", list),
      field("oneOf", list),
      field("allOf", list),
      fc
        .tuple(inner, fc.array(inner, { maxLength: 2 }))
        .map(([condition, [first, second]]) => conditional(condition, first, second)),
      field("then", inner),
      field("contains", inner),
      field("propertyNames", inner),
      field(
        "patternProperties",
        fc.dictionary(patterns, inner, { maxKeys: 2, noNullPrototype: true }),
      ),
      fc.record({
        patternProperties: fc.dictionary(patterns, inner, { noNullPrototype: true }),
        additionalProperties: inner,
      }),
      field("$ref", fc.constantFrom(`#/${definitions}/one`, `#/${definitions}/two`)),
      field("x-other", count),
      declared,
      declared,
    ]
    const added = isNew
      ? [
          fc.record({ contains: inner, minContains: count, maxContains: count }),
          fc.record({ prefixItems: list, items: inner }, { requiredKeys: [] }),
          field("unevaluatedProperties", inner),
          field("unevaluatedItems", inner),
          field("dependentSchemas", byName),
          field(
            "dependentRequired",
            fc.dictionary(names, fc.uniqueArray(names), { noNullPrototype: true }),
          ),
        ]
      : [
          fc.record({ items: list, additionalItems: inner }, { requiredKeys: ["items"] }),
          field("items", inner),
          field("dependencies", byName),
        ]
    const keywords = fc.oneof(...(common as fc.Arbitrary<JsonSchema>[]), ...added)
    const several = fc
      .array(keywords, { minLength: 1, maxLength: 3 })
      .map((parts) => Object.assign({}, ...parts) as JsonSchema)
    // Whether an object without a word on other names has any is decided elsewhere.
    const spoken = several.map((schema) =>
      schema.properties !== undefined && schema.additionalProperties === undefined
        ? { ...schema, additionalProperties: true }
        : schema,
    )
    return {
      part: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.boolean(), spoken),
    }
  })
  const named = fc.dictionary(names, part, { maxKeys: 3, noNullPrototype: true })
  return fc
    .record({ properties: named, additionalProperties: part, one: part, two: part, more: part })
    .map(({ properties, additionalProperties, one, two, more }) => ({
      $schema: isNew
        ? "https://json-schema.org/draft/2020-12/schema"
        : "http://json-schema.org/draft-07/schema#",
      ...(typeof more === "object" ? more : {}),
      type: "object" as const,
      properties: properties as NonNullable<JsonSchema["properties"]>,
      additionalProperties,
      [definitions]: { one, two },
    }))
}

function conditional(...parts: readonly unknown[]): JsonSchema {
  const entries = ["if", "then", "else"].map((keyword, at) => [keyword, parts[at]])
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined))
}

/** Found by chance: its definition says nothing once its pattern is left to the description. */
const emptied: JsonSchema = {
  type: "object",
  properties: { a: { items: { $ref: "#/$defs/one" } } },
  $defs: { one: { pattern: "^a", $ref: "#/$defs/one" } },
}

/** Found by chance: of two branches the second takes no object, and must not begin to. */
const impossible: JsonSchema = {
  type: "object",
  properties: {
    a: {
      oneOf: [
        { minProperties: 0 },
        { properties: {}, additionalProperties: false, required: ["a"] },
      ],
    },
  },
}

const options = {
  strict: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
} as const
/** One for all schemas of a draft: to make one takes longer than to compile most of them. */
const judges = { "draft-07": new Ajv(options), "draft-2020-12": new Ajv2020(options) }

/** The schema as its own draft means it; null for one that leads to itself for ever. */
function judge(schema: JsonSchema, draft: Draft): ValidateFunction | null {
  try {
    return judges[draft].compile(draft === "draft-07" ? withoutSiblings(schema) : schema)
  } catch {
    return null
  }
}

/** In draft-07 a reference is all that counts of its schema, which Ajv no longer heeds. */
function withoutSiblings(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    typeof value?.$ref === "string"
      ? { $ref: value.$ref, ...(value.definitions && { definitions: value.definitions }) }
      : value,
  )
}

const define = (input: JsonSchema) =>
  defineTool({ name: "a.b", description: "A.", input, run: () => null })

describe.each<Draft>(["draft-07", "draft-2020-12"])("a bridged schema of %s", (draft) => {
  it("Y15, F1: found defect: refuses nothing that the server's own schema takes", () => {
    const counted = { compared: 0, taken: 0, refused: 0 }
    fc.assert(
      fc.property(
        schemas(draft),
        fc.array(objects, { minLength: 12, maxLength: 12 }),
        (given, inputs) => {
          const own = judge(given, draft)
          const fitted = fitSchema(given)
          if (!own || !fitted.ok) return
          const bridged = judge(fitted.schema, draft)
          // Without what can't be enforced, a definition may be left with nothing but a way back to itself.
          if (!bridged) {
            expect(() => define(fitted.schema)).toThrow("leads back to itself")
            return
          }
          for (const input of inputs) {
            const isTaken = answerOf(() => own(input))
            if (isTaken === null) return
            counted.compared += 1
            if (isTaken) counted.taken += 1
            if (!bridged(input)) {
              counted.refused += 1
              expect({ input, isTaken }).toEqual({ input, isTaken: false })
            }
          }
        },
      ),
      {
        numRuns: 300,
        examples: [
          [emptied, Array(12).fill({})],
          [impossible, Array(12).fill({ a: { a: 1 } })],
        ],
      },
    )
    // The comparison meant something.
    expect(counted.compared).toBeGreaterThan(1_000)
    expect(counted.taken).toBeGreaterThan(counted.compared / 20)
    expect(counted.refused).toBeGreaterThan(counted.compared / 20)
  })

  it("Y15, F1: can be enforced, or the tool is left out with a reason", () => {
    let defined = 0
    fc.assert(
      fc.property(schemas(draft), objects, (given, input) => {
        const fitted = fitSchema(given)
        if (!fitted.ok) return
        try {
          define(fitted.schema).check(input)
          defined += 1
        } catch (error) {
          expect(error).toBeInstanceOf(DefinitionError)
        }
      }),
      { numRuns: 100 },
    )
    expect(defined).toBeGreaterThan(50)
  })
})

/** Null where the judge itself fails: a schema that leads in circles, and what Ajv makes wrongly of rare ones. */
function answerOf<Value>(ask: () => Value): Value | null {
  try {
    return ask()
  } catch {
    return null
  }
}
