import { describe, expect, it } from "vitest"
import {
  accepted,
  checkFor,
  invalid,
  object,
} from "../../../test/support/contract/schema-fixture.ts"

const integer = { type: "integer" }
const text = { type: "string" }

describe("null for an optional argument", () => {
  it.each<[string, object]>([
    ["text", text],
    ["a number", integer],
    ["a choice", { enum: ["x", "y"] }],
    ["a list", { type: "array", items: text }],
    ["an object", object({ b: text })],
    ["a reference", { $ref: "#/$defs/n" }],
    ["a union", { anyOf: [integer, text] }],
    ["text that may be blank", { type: "string", minLength: 0 }],
    ["what a list of all refuses", { allOf: [integer, { minimum: 1 }] }],
  ])("F1: is left out, with a warning: %s", (_, schema) => {
    const check = checkFor(object({ a: schema, b: text }, { $defs: { n: integer } }))
    expect(check({ a: null, b: "x" })).toEqual(accepted({ b: "x" }, ["a: null left out"]))
    expect(check('{"a": null}')).toEqual(accepted({}, ["a: null left out"]))
  })

  it("F1: is left out in nested objects, in items, in a branch and in JSON text", () => {
    const item = object({ a: text, n: integer }, { required: ["n"] })
    const check = checkFor(
      object({ o: item, l: { type: "array", items: item }, u: { oneOf: [item, { const: 5 }] } }),
    )
    const one = { a: null, n: 1 }
    expect(check({ o: one, l: [one], u: one })).toEqual(
      accepted({ o: { n: 1 }, l: [{ n: 1 }], u: { n: 1 } }, [
        "o.a: null left out",
        "l[0].a: null left out",
        "u.a: null left out",
      ]),
    )
    expect(check({ o: '{"n": 1, "a": null}' })).toMatchObject({ ok: true, value: { o: { n: 1 } } })
  })

  it("F1: gives way to the default", () => {
    const check = checkFor(object({ a: { ...integer, default: 7 } }))
    expect(check({ a: null })).toEqual(accepted({ a: 7 }, ["a: null left out"]))
  })

  it.each<[string, object]>([
    ["a type", { type: ["string", "null"] }],
    ["a union", { anyOf: [integer, { type: "null" }] }],
    ["a choice", { enum: ["x", null] }],
    ["a constant", { const: null }],
    ["a reference", { $ref: "#/$defs/n" }],
    ["anything", {}],
  ])("F1: stays where the schema accepts it: %s", (_, schema) => {
    const check = checkFor(object({ a: schema }, { $defs: { n: { type: "null" } } }))
    expect(check({ a: null })).toEqual(accepted({ a: null }))
  })
})

describe("null elsewhere", () => {
  it("F1.refused: is refused for a required argument, which is named", () => {
    const check = checkFor(object({ a: text }, { required: ["a"] }))
    expect(check({ a: null })).toEqual({
      ok: false,
      failure: invalid('Argument "a" must be string; got null.', "a", "string"),
    })
  })

  it("F1: is refused in a list and in a map, and as an unknown argument", () => {
    const check = checkFor(
      object({
        l: { type: "array", items: text },
        m: { type: "object", additionalProperties: text },
      }),
    )
    expect(check({ l: [null] })).toMatchObject({ ok: false, failure: { field: "l[0]" } })
    expect(check({ m: { x: null } })).toMatchObject({ ok: false, failure: { field: "m.x" } })
    expect(check({ x: null })).toMatchObject({ ok: false, failure: { field: "x" } })
  })
})
