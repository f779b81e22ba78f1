import { describe, expect, it } from "vitest"
import { checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import { cpuMs } from "../../../test/support/cpu-time.ts"
import type { Checked } from "../index.ts"

function fixed(value: object, ...notes: string[]): Checked {
  return { ok: true, value: value as Record<string, unknown>, notes }
}

const integer = { type: "integer" }

describe("repair reaches", () => {
  const $defs = {
    count: integer,
    tree: object({ size: integer, leaves: { type: "array", items: { $ref: "#/$defs/tree" } } }),
  }

  it.each<[string, object, object, Checked]>([
    [
      "nested objects",
      object({ a: object({ b: object({ n: integer }) }) }),
      { a: { b: { n: "1" } } },
      fixed({ a: { b: { n: 1 } } }, 'a.b.n: text "1" read as 1'),
    ],
    [
      "items of arrays in arrays",
      object({ a: { type: "array", items: { type: "array", items: integer } } }),
      { a: [[1], ["2", 3]] },
      fixed({ a: [[1], [2, 3]] }, 'a[1][0]: text "2" read as 2'),
    ],
    [
      "what a $ref leads to",
      object({ a: { $ref: "#/$defs/count" } }, { $defs }),
      { a: "7" },
      fixed({ a: 7 }, 'a: text "7" read as 7'),
    ],
    [
      "a $ref with something beside it",
      object({ a: { $ref: "#/$defs/count", maximum: 9 } }, { $defs }),
      { a: "7" },
      fixed({ a: 7 }, 'a: text "7" read as 7'),
    ],
    [
      "what a schema that contains itself describes, at each depth",
      object({ a: { $ref: "#/$defs/tree" } }, { $defs }),
      { a: { leaves: [{ size: "1" }, { leaves: '[{"size": "2"}]' }] } },
      fixed(
        { a: { leaves: [{ size: 1 }, { leaves: [{ size: 2 }] }] } },
        'a.leaves[0].size: text "1" read as 1',
        'a.leaves[1].leaves: text "[{\\"size\\": \\"2\\"}]" read as an array of 1',
        'a.leaves[1].leaves[0].size: text "2" read as 2',
      ),
    ],
    [
      "the one branch of anyOf that it fits",
      object({ a: { anyOf: [integer, { type: "array", items: integer }] } }),
      { a: ["1", "2"] },
      fixed({ a: [1, 2] }, 'a[0]: text "1" read as 1', 'a[1]: text "2" read as 2'),
    ],
    [
      "the branch of oneOf that its tag names, in any case",
      object({
        a: {
          oneOf: [
            object({ kind: { const: "size" }, n: integer }, { required: ["kind", "n"] }),
            object(
              { kind: { const: "name" }, n: { type: "boolean" } },
              { required: ["kind", "n"] },
            ),
          ],
        },
      }),
      { a: { kind: "Name", n: "1" } },
      fixed(
        { a: { kind: "name", n: true } },
        'a.kind: "Name" read as "name"',
        'a.n: text "1" read as true',
      ),
    ],
    [
      "the branch that needs the fewest changes",
      object({
        a: {
          anyOf: [
            object({ x: integer, y: integer }),
            object({ x: { type: "string" }, y: integer }),
          ],
        },
      }),
      { a: { x: "1", y: "2" } },
      fixed({ a: { x: "1", y: 2 } }, 'a.y: text "2" read as 2'),
    ],
    [
      "an object of a union as JSON text",
      object({ a: { anyOf: [{ type: "null" }, object({ n: integer })] } }),
      { a: '{"n": 3}' },
      fixed({ a: { n: 3 } }, 'a: text "{\\"n\\": 3}" read as an object of 1'),
    ],
    [
      "both unions of a schema that has two",
      object({
        a: { anyOf: [integer, { type: "boolean" }], oneOf: [{ maximum: 9 }, { minimum: 20 }] },
      }),
      { a: "7" },
      fixed({ a: 7 }, 'a: text "7" read as 7'),
    ],
    [
      "each part of allOf",
      object({ a: { allOf: [integer, { minimum: 1 }] } }),
      { a: "7" },
      fixed({ a: 7 }, 'a: text "7" read as 7'),
    ],
    [
      "the items of a tuple and those after it",
      object({ a: { type: "array", prefixItems: [integer, { type: "boolean" }], items: integer } }),
      { a: ["1", "1", "1", 1] },
      fixed(
        { a: [1, true, 1, 1] },
        'a[0]: text "1" read as 1',
        'a[1]: text "1" read as true',
        'a[2]: text "1" read as 1',
      ),
    ],
    [
      "the values of a map",
      object({ a: { type: "object", additionalProperties: integer } }),
      { a: { x: "1", y: 2 } },
      fixed({ a: { x: 1, y: 2 } }, 'a.x: text "1" read as 1'),
    ],
    [
      "the values that a pattern of names describes",
      object({
        a: object({}, { patternProperties: { "^n_": integer, "^b_": { type: "boolean" } } }),
      }),
      { a: { n_1: "1", b_1: "1" } },
      fixed(
        { a: { n_1: 1, b_1: true } },
        'a.n_1: text "1" read as 1',
        'a.b_1: text "1" read as true',
      ),
    ],
    [
      "a property whose name has every sign that a pointer would escape",
      object({ "a/b~c%d e#f": { anyOf: [integer, { type: "boolean" }] } }),
      { "a/b~c%d e#f": "5" },
      fixed({ "a/b~c%d e#f": 5 }, 'a/b~c%d e#f: text "5" read as 5'),
    ],
  ])("O16, O17, O19: %s", (_, schema, input, expected) => {
    expect(checkFor(schema)(input)).toEqual(expected)
  })

  it("O16: draft-07's tuples and definitions too, where $schema says draft-07", () => {
    const check = checkFor({
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({
        a: {
          type: "array",
          items: [integer, { $ref: "#/definitions/flag" }],
          additionalItems: integer,
        },
      }),
      definitions: { flag: { type: "boolean" } },
    })
    expect(check({ a: ["1", "yes", "3"] })).toEqual(
      fixed(
        { a: [1, true, 3] },
        'a[0]: text "1" read as 1',
        'a[1]: text "yes" read as true',
        'a[2]: text "3" read as 3',
      ),
    )
  })

  it("O16: found defect: every item of an array of a thousand and of two hundred thousand", () => {
    const check = checkFor(object({ a: { type: "array", items: integer } }))
    for (const length of [1_000, 200_000]) {
      const checked = check({ a: Array.from({ length }, (_, index) => String(index)) })
      expect(checked.ok && checked.value.a).toEqual(Array.from({ length }, (_, index) => index))
      expect(checked.ok && checked.notes.length).toBe(20)
    }
  })

  it("F1: found defect: a union that leans on the type beside it is judged, not thrown at", () => {
    const check = checkFor(
      object({ a: integer, b: integer }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    )
    expect(check({ b: "1" })).toEqual(fixed({ b: 1 }, 'b: text "1" read as 1'))
    expect(check({})).toEqual({
      ok: false,
      failure: {
        kind: "invalid_args",
        message: "The arguments must be object with a or object with b; got an object with 0 keys.",
        expected: "object with a or object with b",
      },
    })
  })

  it("F1: found defect: a blank text that decides which branch of oneOf fits is not let through by accident", () => {
    const text = { type: "string" }
    const check = checkFor(
      object({ a: { oneOf: [object({ s: text }), object({ s: text }, { required: ["s"] })] } }),
    )
    expect(check({ a: { s: "" } }).ok).toBe(false)
    expect(check({ a: {} })).toEqual(fixed({ a: {} }))
  })

  it("F1: a value that fits none of many unions within unions gets its answer in time", () => {
    const item = {
      anyOf: [
        integer,
        object({ x: { $ref: "#/$defs/item" } }),
        object({ x: { $ref: "#/$defs/item" } }),
      ],
    }
    const check = checkFor(object({ a: item }, { $defs: { item } }))
    const input = Array.from({ length: 12 }).reduce<unknown>((inner) => ({ x: inner }), "none")
    expect(check({ a: input }).ok).toBe(false)
    expect(cpuMs(() => check({ a: input }))).toBeLessThan(2_000)
  })
})
