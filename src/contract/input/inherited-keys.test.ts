import { describe, expect, it } from "vitest"
import { accepted, checkFor, object } from "../../../test/support/contract/schema-fixture.ts"

const integer = { type: "integer" }

describe("keys that every object inherits", () => {
  const check = checkFor(object({ n: integer }, { required: ["n"] }))

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
    "O15: %s is an unknown key like any other",
    (key) => {
      const input = JSON.parse(`{"n": 1, "${key}": {"x": 1}}`)
      expect(check(input)).toEqual({
        ok: false,
        failure: {
          kind: "invalid_args",
          message: `Unknown argument "${key}"; known here: n.`,
          field: key,
          expected: "only n",
        },
      })
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    },
  )

  it("F1: what an object inherits does not count as given, at any depth", () => {
    const inherits = Object.create({ n: 1 })
    expect(check(inherits).ok).toBe(false)
    expect(
      checkFor(object({ a: object({ n: integer }, { required: ["n"] }) }))({ a: inherits }).ok,
    ).toBe(false)
    const named = checkFor(
      object({ constructor: {}, toString: integer }, { required: ["constructor"] }),
    )
    expect(named({})).toEqual({
      ok: false,
      failure: {
        kind: "invalid_args",
        message: 'Missing required argument "constructor" (value).',
        field: "constructor",
        expected: "value",
      },
    })
    expect(named({ constructor: 1 })).toEqual(accepted({ constructor: 1 }))
  })

  it("F1: an instance of a class counts by what is its own, and arrives as a plain object", () => {
    class Options {
      n = 1
      get extra() {
        return 2
      }
    }
    const checked = check(new Options())
    expect(checked).toEqual(accepted({ n: 1 }))
    expect(checked.ok && Object.getPrototypeOf(checked.value)).toBe(Object.prototype)
    expect(check(Object.assign(Object.create(null), { n: 1 }))).toEqual(accepted({ n: 1 }))
  })

  it("O16: a map may have such keys, and repair keeps them as keys", () => {
    const map = checkFor(object({ m: { type: "object", additionalProperties: integer } }))
    const checked = map(JSON.parse('{"m": {"__proto__": "1", "constructor": 2}}'))
    expect(JSON.stringify(checked.ok && checked.value)).toBe(
      '{"m":{"__proto__":1,"constructor":2}}',
    )
  })
})
