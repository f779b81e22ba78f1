import { expect, it } from "vitest"
import { checkFor, object } from "../../../test/support/contract/schema-fixture.ts"

const five = { type: "integer", default: 5 }
const filled = (value: object) => ({ ok: true, value, notes: [] })

it("O21, F1: a default is there by the time a tool runs, and does not replace what was given", () => {
  const check = checkFor(object({ n: five, flag: { type: "boolean", default: true } }))
  expect(check({})).toEqual(filled({ n: 5, flag: true }))
  expect(check({ n: 1, flag: false })).toEqual(filled({ n: 1, flag: false }))
  expect(check(undefined)).toEqual(filled({ n: 5, flag: true }))
  expect(check({ n: "7" })).toEqual({
    ok: true,
    value: { n: 7, flag: true },
    notes: ['n: text "7" read as 7'],
  })
})

it.each<[string, object, object, object]>([
  ["in a nested object", object({ a: object({ n: five }) }), { a: {} }, { a: { n: 5 } }],
  ["but not for an object that is absent", object({ a: object({ n: five }) }), {}, {}],
  [
    "inside a default",
    object({ a: object({ n: five, m: five }, { default: { m: 1 } }) }),
    {},
    { a: { n: 5, m: 1 } },
  ],
  [
    "in the items of an array",
    object({ a: { type: "array", items: object({ n: five }) } }),
    { a: [{}, { n: 1 }] },
    { a: [{ n: 5 }, { n: 1 }] },
  ],
  [
    "in the items of a tuple and those after it",
    object({
      a: { type: "array", prefixItems: [object({ n: five })], items: object({ m: five }) },
    }),
    { a: [{}, {}] },
    { a: [{ n: 5 }, { m: 5 }] },
  ],
  [
    "in the values of a map",
    object({ a: { type: "object", additionalProperties: object({ n: five }) } }),
    { a: { x: {}, y: { n: 1 } } },
    { a: { x: { n: 5 }, y: { n: 1 } } },
  ],
  [
    "in the values that a pattern describes",
    object({ a: object({}, { patternProperties: { "^x": object({ n: five }) } }) }),
    { a: { x: {} } },
    { a: { x: { n: 5 } } },
  ],
  [
    "through a $ref, to the object and to the default",
    object(
      { a: { $ref: "#/$defs/a" }, n: { $ref: "#/$defs/n" } },
      {
        $defs: { a: object({ n: five }), n: five },
      },
    ),
    { a: {} },
    { a: { n: 5 }, n: 5 },
  ],
  [
    "at each depth of a schema that contains itself",
    object(
      { a: { $ref: "#/$defs/a" } },
      {
        $defs: { a: object({ n: five, inner: { $ref: "#/$defs/a" } }) },
      },
    ),
    { a: { inner: { inner: {} } } },
    { a: { n: 5, inner: { n: 5, inner: { n: 5 } } } },
  ],
  [
    "in a part of allOf",
    object({ a: { allOf: [object({ n: five })] } }),
    { a: {} },
    { a: { n: 5 } },
  ],
  [
    "in the branch of a union that fits",
    object({
      a: {
        oneOf: [
          object({ kind: { const: "x" }, n: five }, { required: ["kind"] }),
          object({ kind: { const: "y" }, m: five }, { required: ["kind"] }),
        ],
      },
    }),
    { a: { kind: "y" } },
    { a: { kind: "y", m: 5 } },
  ],
  [
    "for a name that every object inherits",
    object({ constructor: five, toString: five }),
    { toString: 1 },
    { constructor: 5, toString: 1 },
  ],
  ["for a key that is there and undefined", object({ n: five }), { n: undefined }, { n: 5 }],
])("O21, F1: defaults are filled %s", (_, schema, input, expected) => {
  const check = checkFor(schema)
  expect(check(input)).toEqual(filled(expected))
  expect(check(expected)).toEqual(filled(expected))
})

it("O21: each call gets a default of its own, which it may change", () => {
  const check = checkFor(object({ tags: { type: "array", items: {}, default: ["a"] } }))
  const tags = () => {
    const checked = check({})
    return (checked.ok ? checked.value.tags : null) as string[]
  }
  tags().push("b")
  expect(tags()).toEqual(["a"])
})

it("O21: an input that is complete is given back as it is, not copied", () => {
  const check = checkFor(
    object({ a: object({ n: five }), l: { type: "array", items: object({ n: five }) } }),
  )
  const input = { a: { n: 1 }, l: [{ n: 1 }] }
  const checked = check(input)
  expect(checked.ok && checked.value).toBe(input)
})
