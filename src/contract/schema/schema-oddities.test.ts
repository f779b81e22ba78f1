import { describe, expect, it } from "vitest"
import { checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import { DefinitionError, defineTool } from "../index.ts"

/** A tool with the one argument `v`, and definitions beside it. */
const around = (schema: unknown, $defs: object = {}) =>
  object({ v: schema }, { required: ["v"], $defs })

const closed = (properties: object, more: object = {}) => object(properties, more)
const proto: unknown = JSON.parse('{"__proto__": {"a": 1}}')
const integer = { type: "integer" }
/** Written out, it would look like a promise's. */
const then = "then"

interface Oddity {
  readonly schema: unknown
  readonly $defs?: object
  readonly takes: readonly unknown[]
  readonly refuses?: readonly unknown[]
}

const oddities: Readonly<Record<string, Oddity>> = {
  true: { schema: true, takes: [1, null, "a", []] },
  false: { schema: false, takes: [], refuses: [1, null, {}] },
  "minContains without contains": { schema: { minContains: 1 }, takes: [[], [1]] },
  "maxContains without contains": { schema: { maxContains: 1 }, takes: [[1, 2]] },
  "minContains of 0": { schema: { contains: { const: 1 }, minContains: 0 }, takes: [[], [2]] },
  "minContains and maxContains": {
    schema: { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    takes: [
      [1, 1],
      [1, 2, 1],
    ],
    refuses: [[1], [], [1, 1, 1, 1]],
  },
  "minContains above maxContains": {
    schema: { contains: { const: 1 }, minContains: 3, maxContains: 1 },
    takes: ["no list"],
    refuses: [[1], [1, 1, 1]],
  },
  contains: { schema: { contains: { minimum: 5 } }, takes: [[3, 5]], refuses: [[3], []] },
  "contains with items": {
    schema: { items: { multipleOf: 2 }, contains: { multipleOf: 3 } },
    takes: [[6, 12]],
    refuses: [[2, 4], [3, 6], [1]],
  },
  "if alone": { schema: { if: { const: 0 } }, takes: [0, "a"] },
  "then alone": { schema: { [then]: { const: 0 } }, takes: [0, "a"] },
  "else alone": { schema: { else: { const: 0 } }, takes: [0, "a"] },
  "if, then and else": {
    schema: { if: { exclusiveMaximum: 0 }, [then]: { minimum: -10 }, else: { multipleOf: 2 } },
    takes: [-1, 4],
    refuses: [-100, 3],
  },
  "if that is always so": {
    schema: { if: true, [then]: { const: "t" }, else: { const: "e" } },
    takes: ["t"],
    refuses: ["e"],
  },
  "unevaluatedItems alone": { schema: { unevaluatedItems: false }, takes: [[]], refuses: [["a"]] },
  "unevaluatedItems after a tuple": {
    schema: { prefixItems: [{ type: "string" }], unevaluatedItems: integer },
    takes: [["a"], ["a", 1]],
    refuses: [[1], ["a", "b"]],
  },
  unevaluatedProperties: {
    schema: { type: "object", patternProperties: { "^f": {} }, unevaluatedProperties: false },
    takes: [{ foo: 1 }, {}],
    refuses: [{ bar: 1 }],
  },
  "properties that a pattern matches too": {
    schema: closed({ foo: integer }, { patternProperties: { "^f": { minimum: 3 } } }),
    takes: [{ foo: 3, fox: 5 }],
    refuses: [{ foo: 1 }, { fox: 1 }, { bar: 1 }],
  },
  "dependentSchemas with odd names": {
    schema: closed(
      { "foo\tbar": {}, "foo'bar": {}, a: {} },
      { dependentSchemas: { "foo\tbar": { minProperties: 2 }, "foo'bar": { required: ["a"] } } },
    ),
    takes: [{ "foo\tbar": 1, a: 2 }, { "foo'bar": 1, a: 1 }, {}],
    refuses: [{ "foo\tbar": 1 }, { "foo'bar": 1 }],
  },
  "dependentRequired with odd names": {
    schema: closed(
      { "foo\nbar": {}, 'foo"bar': {} },
      { dependentRequired: { "foo\nbar": ['foo"bar'] } },
    ),
    takes: [{ "foo\nbar": 1, 'foo"bar': 2 }],
    refuses: [{ "foo\nbar": 1 }],
  },
  "prefixItems, and nothing after them": {
    schema: { prefixItems: [{}, true, { type: "integer" }], items: false },
    takes: [[1, 2, 3], []],
    refuses: [
      [1, 2, 3, 4],
      [1, 2, {}],
    ],
  },
  "a constant object": {
    schema: { const: { foo: "bar", baz: [false] } },
    takes: [{ baz: [false], foo: "bar" }],
    refuses: [{ foo: "bar", baz: [0] }, { foo: "bar" }],
  },
  "a constant null": { schema: { const: null }, takes: [null], refuses: [0, "x"] },
  "a constant 0": { schema: { const: 0 }, takes: [0, -0], refuses: [false, ""] },
  "a constant with a key like a prototype": {
    schema: { const: proto },
    takes: [proto],
    refuses: [{}, { a: 1 }],
  },
  "a constant with a NUL": { schema: { const: "a\u0000b" }, takes: ["a\u0000b"], refuses: ["ab"] },
  "a constant that looks like a schema": {
    schema: { const: { $id: "http://x/a", $ref: "#/nowhere", $anchor: "a b" } },
    takes: [{ $id: "http://x/a", $ref: "#/nowhere", $anchor: "a b" }],
    refuses: [{}],
  },
  "choices of many kinds, one of them twice": {
    schema: { enum: [6, "foo", [], true, { foo: 12 }, "foo"] },
    takes: [[], { foo: 12 }, 6],
    refuses: [{ foo: false }, 4, null],
  },
  "arguments with names of keywords": {
    schema: closed({ $ref: { type: "string" }, $id: integer, default: {}, const: {}, enum: {} }),
    takes: [{ $ref: "a", $id: 1, default: 1, const: 1, enum: 1 }],
    refuses: [{ $ref: 2 }, { $id: "x" }],
  },
  "arguments with names that objects inherit": {
    schema: closed({ toString: closed({}), constructor: { type: "number" } }),
    takes: [{}, { constructor: 1 }],
    refuses: [{ constructor: "x" }, { toString: 1 }],
  },
  "references with escaped names": {
    schema: {
      prefixItems: [
        { $ref: "#/$defs/tilde~0field" },
        { $ref: "#/$defs/slash~1field" },
        { $ref: "#/$defs/percent%25field" },
        { $ref: "#/$defs/foo%22bar" },
        { $ref: "#/$defs//$defs/" },
      ],
    },
    $defs: {
      "tilde~field": integer,
      "slash/field": integer,
      "percent%field": integer,
      'foo"bar': integer,
      "": { $defs: { "": integer } },
    },
    takes: [[1, 1, 1, 1, 1]],
    refuses: [["a"], [1, "a"], [1, 1, "a"], [1, 1, 1, "a"], [1, 1, 1, 1, "a"]],
  },
  "a reference with limits beside it": {
    schema: { $ref: "#/$defs/list", maxItems: 2 },
    $defs: { list: { type: "array" } },
    takes: [[], [1, 2]],
    refuses: [[1, 2, 3], "a"],
  },
  "a reference of a reference": {
    schema: { $ref: "#/$defs/c" },
    $defs: { a: integer, b: { $ref: "#/$defs/a" }, c: { $ref: "#/$defs/b" } },
    takes: [5],
    refuses: ["a"],
  },
  "a schema that contains itself": {
    schema: { $ref: "#/$defs/tree" },
    $defs: { tree: closed({ n: integer, next: { $ref: "#/$defs/tree" } }) },
    takes: [{ next: { next: { n: 1 } } }],
    refuses: [{ next: { next: { n: "a" } } }, { next: 1 }],
  },
  "a name that nothing leads to": {
    schema: { $anchor: "here", type: "integer" },
    takes: [1],
    refuses: ["a"],
  },
  "patterns of Unicode": {
    schema: { pattern: "^(?:\\p{Letter}|🐲)+$" },
    takes: ["é🐲", "語", 5],
    refuses: ["1", "🐉"],
  },
  "a pattern is for ASCII digits": {
    schema: { pattern: "^\\d+$" },
    takes: ["42"],
    refuses: ["৪২"],
  },
  "lengths in characters": { schema: { maxLength: 2 }, takes: ["💩💩"], refuses: ["💩💩💩"] },
  "a format for text only": {
    schema: { format: "date" },
    takes: ["2024-02-29", 5],
    refuses: ["2023-02-29"],
  },
  "unique items of many kinds": {
    schema: { uniqueItems: true },
    takes: [[0, false, [0], [false], {}]],
    refuses: [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, 1],
    ],
  },
  "not not": { schema: { not: { not: integer } }, takes: [1], refuses: ["a"] },
  "all of true and false": { schema: { allOf: [true, false] }, takes: [], refuses: [1] },
  "one of true and true": { schema: { oneOf: [true, true] }, takes: [], refuses: [1] },
  "limits that contradict each other": {
    schema: { minimum: 5, maximum: 1 },
    takes: ["a"],
    refuses: [3],
  },
  "required on what may be a list": {
    schema: { required: ["foo"] },
    takes: [[], { foo: 1 }],
    refuses: [{}],
  },
}

describe("a schema that is odd and valid", () => {
  it.each(Object.entries(oddities))("F1.enforced, Y3.checked: is enforced: %s", (_, oddity) => {
    const { schema, $defs, takes, refuses = [] } = oddity
    const check = checkFor(around(schema, $defs))
    for (const v of takes) expect([v, check({ v })]).toMatchObject([v, { ok: true, notes: [] }])
    for (const v of refuses) {
      const checked = check({ v })
      expect([v, checked.ok]).toEqual([v, false])
      expect(JSON.stringify(checked)).not.toMatch(/NaN|undefined|\[object/)
    }
  })
})

describe("a schema that can't be enforced", () => {
  const beside = (keyword: string) =>
    `inputSchema.properties.v.unevaluatedItems can't be enforced beside "${keyword}"; use "items".`
  const badDefault =
    "inputSchema.properties.v.default is not a value that the schema itself accepts."
  const named = { $anchor: "a", type: "integer" }

  it.each<[string, unknown, string, object?]>([
    [
      "unevaluatedItems beside a union",
      { anyOf: [{ items: integer }, true], unevaluatedItems: false },
      beside("anyOf"),
    ],
    [
      "unevaluatedItems beside contains",
      { contains: integer, unevaluatedItems: false },
      beside("contains"),
    ],
    ["unevaluatedItems beside a condition", { if: integer, unevaluatedItems: false }, beside("if")],
    [
      "unevaluatedItems beside a reference",
      { $ref: "#/$defs/a", unevaluatedItems: false },
      beside("$ref"),
      { a: {} },
    ],
    [
      "$dynamicRef",
      { $dynamicRef: "#a" },
      "inputSchema.properties.v.$dynamicRef is not a JSON Schema keyword.",
    ],
    [
      "a reference to a name",
      { $ref: "#a" },
      'inputSchema.properties.v.$ref must lead to a schema inside this one, such as "#/$defs/item".',
      { a: named },
    ],
    [
      "one name twice",
      integer,
      `The input schema can't be compiled: reference "toolkeep:input#a" resolves to more than one schema`,
      { a: named, b: { ...named, type: "string" } },
    ],
    [
      "a name with a space",
      { $anchor: "a b" },
      'The input schema can\'t be compiled: invalid anchor "a b"',
    ],
    ["a default below the minimum", { type: "integer", minimum: 5, default: 1 }, badDefault],
    [
      "a default that a pattern refuses",
      { type: "string", pattern: "^a", default: "b" },
      badDefault,
    ],
    [
      "a default that a reference refuses",
      { $ref: "#/$defs/n", default: "x" },
      badDefault,
      { n: integer },
    ],
    [
      "a default that no branch takes",
      { anyOf: [integer, { type: "null" }], default: "x" },
      badDefault,
    ],
    [
      "a default that lacks a key",
      { ...closed({ a: integer }, { required: ["a"] }), default: {} },
      badDefault,
    ],
    ["a default with a wrong item", { type: "array", items: integer, default: ["a"] }, badDefault],
    [
      "a blank default that is too short",
      { type: "string", minLength: 1, default: " " },
      badDefault,
    ],
  ])("F1: is refused when it is defined: %s", (_, schema, message, $defs) => {
    expect(() => checkFor(around(schema, $defs))).toThrow(
      new DefinitionError(`Tool "demo.tool": ${message}`),
    )
  })

  it("F1: is refused as the output of a tool too", () => {
    const definition = {
      name: "demo.tool",
      description: "A demonstration.",
      input: closed({}) as never,
    }
    const output = { $ref: "#/$defs/nowhere" }
    expect(() => defineTool({ ...definition, output, run: () => 1 })).toThrow(
      /^Tool "demo.tool": The output schema can't be compiled: /,
    )
  })
})
