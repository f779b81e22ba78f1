import fc from "fast-check"
import { expect, it } from "vitest"
import { canonicalJson } from "./index.ts"

it("Y10: equal values are equal texts, whatever the order of their keys", () => {
  const given = { b: [{ d: 1, c: 2 }], a: null, B: "x" }
  expect(canonicalJson(given)).toBe('{"B":"x","a":null,"b":[{"c":2,"d":1}]}')
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, part]) => [key, reversed(part)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it("Y10: different values are different texts", () => {
  const values = [[1, 2], [2, 1], { a: 1 }, { a: "1" }, { a: [1] }, "1", 1, null, false, {}, []]
  expect(new Set(values.map(canonicalJson)).size).toBe(values.length)
})

it("Y10: __proto__ is a key like any other, and nothing is changed", () => {
  const given = Object.freeze(JSON.parse('{"b": 1, "__proto__": {"z": 1, "a": 2}}'))
  expect(canonicalJson(given)).toBe('{"__proto__":{"a":2,"z":1},"b":1}')
  expect(JSON.stringify(given)).toBe('{"b":1,"__proto__":{"z":1,"a":2}}')
})

it("Y10: what JSON can't hold is an error", () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  expect(() => canonicalJson(cycle)).toThrow()
  expect(() => canonicalJson({ n: 1n })).toThrow(TypeError)
})
