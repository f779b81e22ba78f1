import { describe, expect, it } from "vitest"
import { DefinitionError, defineTool, type JsonSchema } from "../index.ts"

const closed = { type: "object", properties: {}, additionalProperties: false }
const open = { type: "object", properties: { b: { type: "string" } } }
const draft07 = "http://json-schema.org/draft-07/schema#"

function define(inputSchema: unknown): void {
  defineTool({
    name: "demo.tool",
    description: "A demonstration.",
    input: inputSchema as JsonSchema,
    run() {},
  })
}

/** A closed schema with one property `a`. */
function having(a: unknown, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: "object", properties: { a }, additionalProperties: false, ...more }
}

function refusal(schema: unknown): string {
  try {
    define(schema)
  } catch (error) {
    if (error instanceof DefinitionError) return error.message.replace('Tool "demo.tool": ', "")
    throw error
  }
  return "accepted"
}

describe("the top level of an input schema", () => {
  it.each<[string, unknown]>([
    ["a string", { type: "string" }],
    ["a list of types", { ...closed, type: ["object", "null"] }],
    ["a union", { anyOf: [closed, closed] }],
    ["nothing", {}],
  ])("F1, O15: may not be %s", (_, schema) => {
    expect(refusal(schema)).toBe(
      'inputSchema must have "type": "object" at its top level: arguments have names.',
    )
  })

  it("F1: names no dialect but the two that are enforced", () => {
    const message =
      "inputSchema.$schema must be draft 2020-12 (https://json-schema.org/draft/2020-12/schema) " +
      "or draft-07 (http://json-schema.org/draft-07/schema#)."
    expect(refusal({ ...closed, $schema: "http://json-schema.org/draft-04/schema#" })).toBe(message)
    expect(refusal({ ...closed, $schema: 7 })).toBe(message)
    expect(refusal({ ...closed, $schema: draft07 })).toBe("accepted")
    expect(refusal({ ...closed, $schema: "http://json-schema.org/draft-07/schema" })).toBe(
      "accepted",
    )
    expect(
      refusal({ ...closed, $schema: "https://json-schema.org/draft/2020-12/schema", $id: "urn:x" }),
    ).toBe("accepted")
  })
})

describe("an open object", () => {
  const problem = (where: string) =>
    `${where} is an object without "additionalProperties": false, so keys that nobody declared would be accepted in silence.`

  it.each<[string, unknown, string]>([
    ["at the top", { type: "object", properties: {} }, "inputSchema"],
    ["with additionalProperties true", { ...open, additionalProperties: true }, "inputSchema"],
    ["with an empty schema for other keys", { ...open, additionalProperties: {} }, "inputSchema"],
    ["in a property", having(open), "inputSchema.properties.a"],
    ["without a type", having({ properties: {} }), "inputSchema.properties.a"],
    ["as one of two types", having({ type: ["object", "null"] }), "inputSchema.properties.a"],
    [
      "in the items of an array",
      having({ type: "array", items: open }),
      "inputSchema.properties.a.items",
    ],
    [
      "in a tuple",
      having({ type: "array", prefixItems: [{ type: "string" }, open] }),
      "inputSchema.properties.a.prefixItems.1",
    ],
    ["in anyOf", having({ anyOf: [closed, open] }), "inputSchema.properties.a.anyOf.1"],
    ["in oneOf", having({ oneOf: [open] }), "inputSchema.properties.a.oneOf.0"],
    ["in allOf", having({ allOf: [closed, open] }), "inputSchema.properties.a.allOf.1"],
    [
      "in the values of a map",
      having({ type: "object", additionalProperties: open }),
      "inputSchema.properties.a.additionalProperties",
    ],
    [
      "in the values of a pattern",
      having({ type: "object", patternProperties: { "^x": open }, additionalProperties: false }),
      "inputSchema.properties.a.patternProperties.^x",
    ],
    ["in $defs", { ...closed, $defs: { item: open } }, "inputSchema.$defs.item"],
    [
      "in definitions",
      { ...closed, $schema: draft07, definitions: { item: open } },
      "inputSchema.definitions.item",
    ],
  ])("O15, F1: is refused %s", (_, schema, where) => {
    expect(refusal(schema)).toBe(problem(where))
  })

  it("O15: is no object that declares what each value of a map is, or that closes itself otherwise", () => {
    expect(refusal(having({ type: "object", additionalProperties: { type: "string" } }))).toBe(
      "accepted",
    )
    expect(refusal(having({ ...closed, patternProperties: { "^x-": { type: "string" } } }))).toBe(
      "accepted",
    )
    expect(refusal(having({ type: "object", unevaluatedProperties: false }))).toBe("accepted")
  })
})

describe("a keyword", () => {
  it.each<[unknown, string]>([
    [{ type: "string", minLenght: 1 }, "minLenght is not a JSON Schema keyword."],
    [{ type: "string", nullable: true }, "nullable is not a JSON Schema keyword."],
    [{ type: "strnig" }, "type must be one or more JSON types."],
    [{ type: [] }, "type must be one or more JSON types."],
    [{ type: "string", pattern: "(" }, "pattern must be a regular expression."],
    [{ type: "string", format: "zip-code" }, "format must be a format that can be checked."],
    [{ type: "string", format: "constructor" }, "format must be a format that can be checked."],
    [{ type: "integer", minimum: "1" }, "minimum must be a number."],
    [{ type: "integer", multipleOf: 0 }, "multipleOf must be a number above 0."],
    [{ type: "string", maxLength: -1 }, "maxLength must be a whole number from 0."],
    [{ type: "array", uniqueItems: "yes" }, "uniqueItems must be true or false."],
    [{ enum: [] }, "enum must be a list of choices."],
    [{ enum: "a" }, "enum must be a list of choices."],
    [{ const: () => 1 }, "const must be JSON."],
    [{ default: new Date(0) }, "default must be JSON."],
    [{ examples: "a" }, "examples must be a list."],
    [{ description: 5 }, "description must be text."],
    [{ anyOf: [] }, "anyOf must be a list of schemas."],
    [{ not: "a" }, "not must be a schema."],
    [{ ...closed, properties: [] }, "properties must be schemas by name."],
    [{ ...closed, properties: { x: "string" } }, "properties must be schemas by name."],
    [{ ...closed, required: "a" }, "required must be a list of different names."],
    [{ ...closed, required: ["x", "x"] }, "required must be a list of different names."],
    [
      { ...closed, patternProperties: { "(": {} } },
      "patternProperties must be schemas by pattern.",
    ],
    [
      { ...closed, dependentRequired: { x: "y" } },
      "dependentRequired must be lists of names by name.",
    ],
    [{ type: "array", additionalItems: false }, "additionalItems does not exist in draft-2020-12."],
    [
      { type: "array", items: [{ type: "string" }] },
      'items must be a schema; in draft 2020-12 a list of them is "prefixItems".',
    ],
  ])("F1: is refused when it could not be enforced: %j", (schema, problem) => {
    expect(refusal(having(schema))).toBe(`inputSchema.properties.a.${problem}`)
  })

  it.each<[string, unknown]>([
    ["prefixItems", [{}]],
    ["unevaluatedProperties", false],
    ["dependentRequired", {}],
    ["minContains", 1],
  ])("F1: %s is refused in draft-07, which does not know it", (keyword, value) => {
    expect(refusal({ ...closed, $schema: draft07, [keyword]: value })).toBe(
      `inputSchema.${keyword} does not exist in draft-07.`,
    )
  })
})

describe("other promises that a schema could not keep", () => {
  it.each<[string, unknown, string]>([
    [
      "a required name that it does not declare",
      having({ type: "string" }, { required: ["a", "b"] }),
      'inputSchema.required names "b", which is not among its properties.',
    ],
    [
      "a default of another type",
      having({ type: "integer", default: "ten" }),
      "inputSchema.properties.a.default is not a value that the schema itself accepts.",
    ],
    [
      "a default that is no choice",
      having({ enum: ["x", { y: 1 }], default: { y: 2 } }),
      "inputSchema.properties.a.default is not a value that the schema itself accepts.",
    ],
    [
      "a property that can't be told from a prototype",
      having({}, { properties: JSON.parse('{"__proto__": {"type": "string"}}') }),
      "inputSchema.properties.__proto__ can't be an argument's name.",
    ],
    [
      "an $id inside",
      having({ $id: "urn:item", type: "string" }),
      'inputSchema.properties.a.$id would change where "$ref" starts; only the top level may have one.',
    ],
    [
      "a depth that is hostile or a mistake",
      having(Array.from({ length: 130 }).reduce((inner) => ({ not: inner }), {})),
      `inputSchema.properties.a${".not".repeat(127)} is nested too deeply.`,
    ],
  ])("F1: %s", (_, schema, problem) => {
    expect(refusal(schema)).toBe(problem)
  })

  it.each(["#/$defs/none", "#/definitions/%zz", "https://example.com/item.json", "item", "#item"])(
    "F1: a $ref to %s, which is no place inside the schema",
    ($ref) => {
      expect(refusal(having({ $ref }))).toBe(
        'inputSchema.properties.a.$ref must lead to a schema inside this one, such as "#/$defs/item".',
      )
    },
  )

  it("F1: a $ref to something that is no schema and was never checked", () => {
    const schema = having({ $ref: "#/examples/0" }, { examples: [{ type: "object" }] })
    expect(refusal(schema)).toBe(
      'inputSchema.properties.a.$ref must lead to a schema inside this one, such as "#/$defs/item".',
    )
  })

  it.each<[string, unknown]>([
    ["to itself", { $ref: "#/$defs/item" }],
    ["to itself through allOf", { allOf: [{ type: "string" }, { $ref: "#/$defs/item" }] }],
    ["to itself through another", { anyOf: [{ $ref: "#/$defs/other" }] }],
  ])("F1: a $ref %s, which would never end", (_, item) => {
    const $defs = { item, other: { $ref: "#/$defs/item" } }
    expect(refusal(having({ $ref: "#/$defs/item" }, { $defs }))).toMatch(
      /^inputSchema\.\S+ leads back to itself before it says anything about a value\.$/,
    )
  })

  it("F1: while a schema that contains itself deeper down is fine", () => {
    const item = { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/item" } }] }
    expect(refusal(having({ $ref: "#/$defs/item" }, { $defs: { item } }))).toBe("accepted")
  })
})
