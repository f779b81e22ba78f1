import { describe, expect, it } from "vitest"
import { failureOf, invalid, object } from "../../../test/support/contract/schema-fixture.ts"

const text = { type: "string" }

describe("an unknown key", () => {
  const few = object({ path: text, recursive: { type: "boolean" } })

  it.each<[string, string]>([
    ["Path", 'did you mean "path"?'],
    ["recursve", 'did you mean "recursive"?'],
    ["re_cursive", 'did you mean "recursive"?'],
    ["encoding", "known here: path, recursive."],
  ])("O15.field: %s is named, with the nearest declared key when it is close", (key, hint) => {
    expect(failureOf(few, { [key]: "x" })).toEqual(
      invalid(`Unknown argument "${key}"; ${hint}`, key, "only path, recursive"),
    )
  })

  it("O15: of a tool that takes nothing", () => {
    expect(failureOf(object({}), { a: 1 })).toEqual(
      invalid('Unknown argument "a"; none are taken here.', "a", "no arguments"),
    )
  })

  it("O15: of hostile length is cut short, and so is a path of many steps", () => {
    const long = "k".repeat(1000)
    const shown = `${"k".repeat(60)}…`
    expect(failureOf(few, { [long]: 1 })).toEqual(
      invalid(
        `Unknown argument "${shown}"; known here: path, recursive.`,
        shown,
        "only path, recursive",
      ),
    )
    const list = { type: "array", items: { $ref: "#/$defs/list" } }
    const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => [inner], 1)
    expect(
      failureOf(object({ a: { $ref: "#/$defs/list" } }, { $defs: { list } }), { a: deep }),
    ).toEqual(
      invalid(
        'Argument "a[0][0][0][0][0]…[0][0][0][0][0][0]" must be array of array of value; got a number.',
        "a[0][0][0][0][0]…[0][0][0][0][0][0]",
        "array of array of value",
      ),
    )
  })
})
