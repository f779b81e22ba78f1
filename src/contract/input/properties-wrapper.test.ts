import { describe, expect, it } from "vitest"
import { checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import type { Checked, InputCheck } from "../index.ts"

function fixed(value: object, ...notes: string[]): Checked {
  return { ok: true, value: value as Record<string, unknown>, notes }
}

const integer = { type: "integer" }

describe('a "properties" wrapper', () => {
  const path = { type: "string" }
  const note = 'arguments taken out of a "properties" wrapper'
  const check = checkFor(object({ path, limit: integer }, { required: ["path"] }))

  it("O20.unwrapped: is taken off when a key in it is declared, and what was in it is repaired", () => {
    expect(check({ properties: { path: "a", limit: "5" } })).toEqual(
      fixed({ path: "a", limit: 5 }, note, 'limit: text "5" read as 5'),
    )
  })

  it.each<[string, InputCheck, object]>([
    ["no key in it is declared", check, { properties: { name: "a" } }],
    ["it is empty", check, { properties: {} }],
    ["it is no object", check, { properties: "path" }],
    ["something stands beside it", check, { properties: { path: "a" }, limit: 5 }],
    [
      "the tool declares properties itself",
      checkFor(object({ properties: object({ path: integer }), path })),
      { properties: { path: "a" } },
    ],
  ])("O20.match, O20.declared: stays, and is refused, when %s", (_, checkInput, input) => {
    expect(checkInput(input).ok).toBe(false)
  })

  it("O20.declared: stays where the tool declares properties itself and it fits", () => {
    const checkInput = checkFor(object({ properties: object({ path }), path }))
    expect(checkInput({ properties: { path: "a" } })).toEqual(fixed({ properties: { path: "a" } }))
  })

  it("O20: is looked for only around all the arguments, not inside them", () => {
    const inner = checkFor(object({ a: object({ n: integer }) }))
    expect(inner({ a: { properties: { n: 1 } } }).ok).toBe(false)
  })
})
