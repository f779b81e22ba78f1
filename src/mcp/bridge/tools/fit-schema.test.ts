import { describe, expect, it } from "vitest"
import { defineTool, type JsonSchema } from "../../../contract/index.ts"
import { fitSchema } from "./fit-schema.ts"

const anything = { description: "Any value." }

function fitted(schema: unknown): JsonSchema {
  const result = fitSchema(schema)
  if (!result.ok) throw new Error(result.reason)
  return result.schema
}

// As text, so that nobody takes it for a promise.
const thenNothing: object = JSON.parse('{"then": {"const": "x"}}')

/** Whether a tool with that schema takes the input, once it is ours. */
function takes(schema: unknown, input: unknown): boolean {
  const inputSchema = fitted(schema)
  return defineTool({
    name: "a.b",
    description: "A tool.",
    input: inputSchema,
    run: () => null,
  }).check(input).ok
}

describe("a server's schema", () => {
  it("Y15, O15: is closed where it declares names, and open where it means to be", () => {
    expect(fitted({ type: "object", properties: { a: { type: "string" } } })).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: false,
    })
    expect(fitted(undefined)).toEqual({
      type: "object",
      properties: {},
      additionalProperties: false,
    })
    expect(
      fitted({
        type: "object",
        properties: { meta: { type: "object" } },
        additionalProperties: true,
      }),
    ).toEqual({
      type: "object",
      properties: { meta: { type: "object", additionalProperties: anything } },
      additionalProperties: anything,
    })
    expect(
      takes({ type: "object", properties: { meta: { type: "object" } } }, { meta: { a: [1] } }),
    ).toBe(true)
    expect(takes({ type: "object", properties: { a: {} } }, { b: 1 })).toBe(false)
    const chosen = {
      properties: { a: {}, b: {} },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    }
    expect(takes({ type: "object", ...chosen }, { a: 1, c: 1 })).toBe(true)
    expect(takes({ type: "object", ...chosen, additionalProperties: false }, { a: 1, c: 1 })).toBe(
      false,
    )
  })

  it("Y15: stays as wide as it was where it is put together of parts", () => {
    const base = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
    const joined = {
      type: "object",
      properties: {
        item: { allOf: [{ $ref: "#/$defs/base" }, { properties: { size: { type: "number" } } }] },
      },
      $defs: { base },
    }
    expect(takes(joined, { item: { id: "a", size: 1 } })).toBe(true)
    expect(takes(joined, { item: { size: 1 } })).toBe(false)
    const either = {
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    }
    expect(takes(either, { b: "x" })).toBe(true)
    expect(takes(either, {})).toBe(false)
  })

  it("Y15: loses what can't be enforced here, and says so where a model should know", () => {
    const odd = {
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "object",
      "x-internal": true,
      required: ["name", "undeclared"],
      properties: {
        name: { type: "string", pattern: "^(a+)+$", description: "A name.", format: "nickname" },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
        level: { type: "integer", nullable: true, $id: "urn:level" },
      },
    }
    expect(fitted(odd)).toEqual({
      type: "object",
      required: ["name", "undeclared"],
      properties: {
        name: { type: "string", description: "A name. Pattern: ^(a+)+$" },
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
        level: { type: "integer" },
        undeclared: {},
      },
      additionalProperties: false,
    })
    expect(takes(odd, { name: "a", undeclared: [1], pair: ["a", 1] })).toBe(true)
  })

  it("Y15, F1: found defect: is never turned round by what is left out of it", () => {
    const property = (a: object) => ({ type: "object", properties: { a } })
    // Each takes this value, and would not once only the pattern is gone.
    const taken: readonly (readonly [object, unknown])[] = [
      [{ not: { pattern: "^x" } }, "y"],
      [{ oneOf: [{ pattern: "^x" }, { type: "string" }] }, "y"],
      [{ if: { pattern: "^x" }, else: { const: "y" }, ...thenNothing }, "y"],
      [{ contains: { pattern: "^x" }, maxContains: 1 }, ["x", "y"]],
      [{ type: "object", patternProperties: { "^x": {} }, additionalProperties: false }, { x: 1 }],
      [
        { type: "object", patternProperties: { "^x": {} }, additionalProperties: { type: "null" } },
        { x: 1 },
      ],
      [{ type: "array", prefixItems: [{ minLength: "no" }], items: { type: "null" } }, [null]],
    ]
    for (const [schema, value] of taken) {
      expect({ schema, taken: takes(property(schema), { a: value }) }).toEqual({
        schema,
        taken: true,
      })
    }
    // What can be enforced still is.
    expect(takes(property({ not: { type: "boolean" } }), { a: true })).toBe(false)
    expect(takes(property({ oneOf: [{ const: 1 }, { type: "integer" }] }), { a: 1 })).toBe(false)
    expect(fitted(property({ not: { pattern: "^x" } })).properties?.a).toEqual({
      description: "The server also checks: not.",
    })
  })

  it("Y15: a definition that is joined with others, or has to mean what it says, stays open", () => {
    const $defs = {
      base: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    }
    const base = { $ref: "#/$defs/base" }
    const joined = { ...base, properties: { size: { type: "number" } } }
    const nullable = { anyOf: [base, { type: "null" }] }
    const schema = (item: object) => ({ type: "object", properties: { item }, $defs })
    expect(takes(schema(joined), { item: { id: "a", size: 1 } })).toBe(true)
    expect(takes(schema({ not: base }), { item: { id: "a", more: 1 } })).toBe(false)
    expect(takes(schema(nullable), { item: { id: "a", more: 1 } })).toBe(false)
    expect(takes(schema(nullable), { item: null })).toBe(true)
  })

  it("Y15: that refers to itself is fine, and one whose references multiply is refused", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/definitions/node" } },
      definitions: {
        node: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/definitions/node" } } },
        },
      },
    }
    expect(takes(tree, { root: { children: [{ children: [] }] } })).toBe(true)
    expect(takes(tree, { root: { child: [] } })).toBe(false)
    const $defs: Record<string, unknown> = { d0: { type: "string" } }
    for (let level = 1; level < 30; level += 1) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] }
    }
    const bomb = { type: "object", properties: { a: { $ref: "#/$defs/d29" } }, $defs }
    expect(fitSchema(bomb)).toEqual({
      ok: false,
      reason: "Its input schema becomes too large when its references are followed.",
    })
  })

  it("Y15: is refused when it is too large", () => {
    const properties = {
      a: { enum: Array.from({ length: 20_000 }, (_, index) => `value ${index}`) },
    }
    expect(fitSchema({ type: "object", properties })).toEqual({
      ok: false,
      reason: "Its input schema is larger than 64 KiB.",
    })
  })
})
