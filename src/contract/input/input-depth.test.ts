import { describe, expect, it } from "vitest"
import { accepted, checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import { cpuMs } from "../../../test/support/cpu-time.ts"
import type { Checked } from "../index.ts"

const expected = 'a JSON object such as {"path": "notes.md"}'

function refused(message: string): Checked {
  return { ok: false, failure: { kind: "invalid_args", message, expected } }
}

const integer = { type: "integer" }

describe("hostile sizes", () => {
  const item = { anyOf: [integer, { type: "array", items: { $ref: "#/$defs/item" } }] }
  const schemas = {
    closed: object({ a: integer }),
    anything: object({ a: {} }),
    recursive: object({ a: { $ref: "#/$defs/item" } }, { $defs: { item } }),
  }
  const nested = (levels: number, inside: unknown) =>
    Array.from({ length: levels }).reduce<unknown>((inner) => [inner], inside)

  it.each(Object.entries(schemas))(
    "F1: found defect: input nested a hundred thousand deep gets its answer at once (%s)",
    (_, schema) => {
      const check = checkFor(schema)
      check({ a: 1 })
      const input = { a: nested(100_000, "x") }
      const asText = { a: `${"[".repeat(100_000)}${"]".repeat(100_000)}` }
      const time = cpuMs(() => {
        expect(check(input).ok).toBe(false)
        expect(check(asText).ok).toBe(schema === schemas.anything)
      })
      expect(time).toBeLessThan(500)
    },
  )

  it("F1: 64 levels are taken, one more is refused", () => {
    const check = checkFor(schemas.recursive)
    const most = { a: nested(63, 1) }
    expect(check(most)).toEqual(accepted(most))
    expect(check({ a: nested(64, 1) })).toEqual(
      refused("The arguments are nested too deeply: at most 64 levels."),
    )
  })

  it("F1: a cycle is refused as too deep", () => {
    const cycle: Record<string, unknown> = {}
    cycle.a = [cycle]
    expect(checkFor(schemas.anything)(cycle).ok).toBe(false)
  })

  it("O15: found defect: a hundred thousand unknown keys are not all compared with the declared ones", () => {
    const check = checkFor(object({ path: { type: "string" } }, { required: ["path"] }))
    const input = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]))
    check(input)
    expect(cpuMs(() => check(input))).toBeLessThan(500)
    expect(check(input).ok).toBe(false)
  })

  it("F1: text of ten million characters is accepted as it is, or refused without a copy of it", () => {
    const huge = "x".repeat(10_000_000)
    expect(checkFor(object({ a: { type: "string" } }))({ a: huge })).toEqual(accepted({ a: huge }))
    const failed = checkFor(object({ a: integer }))({ a: huge })
    expect(failed).toEqual({
      ok: false,
      failure: {
        kind: "invalid_args",
        message: 'Argument "a" must be integer; got text of 10000000 characters.',
        field: "a",
        expected: "integer",
      },
    })
  })
})
