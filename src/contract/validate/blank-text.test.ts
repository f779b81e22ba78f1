import { describe, expect, it } from "vitest"
import { checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import { type Checked, type JsonSchema, readAnswer } from "../index.ts"

function fixed(value: object, ...notes: string[]): Checked {
  return { ok: true, value: value as Record<string, unknown>, notes }
}

const integer = { type: "integer" }

describe("blank text", () => {
  const text = { type: "string" }

  it.each(["", " ", "\n\t ", "\u00a0"])(
    "O18.optional: in an optional field is dropped: %j",
    (blank) => {
      expect(checkFor(object({ a: text, b: text }))({ a: blank, b: "x" })).toEqual(
        fixed({ b: "x" }, "a: empty text left out"),
      )
    },
  )

  it("O18: is dropped where a number, a choice, a list or an object is optional", () => {
    const check = checkFor(
      object(
        {
          n: integer,
          e: { enum: ["x"] },
          l: { type: "array", items: text },
          o: object({}),
          u: { anyOf: [integer, text] },
          r: { $ref: "#/$defs/text" },
        },
        { $defs: { text } },
      ),
    )
    const checked = check({ n: "", e: "", l: "", o: "", u: "", r: "" })
    expect(checked).toEqual(
      fixed({}, ...["n", "e", "l", "o", "u", "r"].map((name) => `${name}: empty text left out`)),
    )
  })

  it("O18: is dropped in nested objects, in array items and in the branch of a union", () => {
    const item = object({ a: text, n: integer }, { required: ["n"] })
    const check = checkFor(
      object({
        o: item,
        l: { type: "array", items: item },
        u: { oneOf: [item, { type: "null" }] },
      }),
    )
    const one = { a: "", n: 1 }
    expect(check({ o: one, l: [one], u: one })).toEqual(
      fixed(
        { o: { n: 1 }, l: [{ n: 1 }], u: { n: 1 } },
        "o.a: empty text left out",
        "l[0].a: empty text left out",
        "u.a: empty text left out",
      ),
    )
  })

  it("O18: a default takes the place of what was dropped", () => {
    const check = checkFor(object({ a: { type: "string", default: "all" } }))
    expect(check({ a: "" })).toEqual(fixed({ a: "all" }, "a: empty text left out"))
  })

  it.each<[string, object]>([
    ["minLength 0", { type: "string", minLength: 0 }],
    ["minLength 0 behind a $ref", { $ref: "#/$defs/any" }],
    ["minLength 0 in a branch", { anyOf: [{ type: "string", minLength: 0 }, { type: "null" }] }],
    ["minLength 0 in a part", { allOf: [{ type: "string", minLength: 0 }] }],
    ["a blank choice", { enum: ["", "x"] }],
    ["a blank default", { type: "string", default: "" }],
  ])("O18: stays where the author says that it means something: %s", (_, schema) => {
    const $defs = { any: { type: "string", minLength: 0 } }
    expect(checkFor(object({ a: schema }, { $defs }))({ a: "" })).toEqual(fixed({ a: "" }))
  })

  it("O18: stays in a map and in a list, where nothing says that it is optional", () => {
    const check = checkFor(
      object({
        m: { type: "object", additionalProperties: text },
        l: { type: "array", items: text },
      }),
    )
    expect(check({ m: { x: "" }, l: [""] })).toEqual(fixed({ m: { x: "" }, l: [""] }))
  })

  it("O18.required: in a required field is kept, and refused where the schema wants some", () => {
    const check = (minLength: number) =>
      checkFor(object({ a: { type: "string", minLength } }, { required: ["a"] }))({ a: "" })
    expect(check(0)).toEqual(fixed({ a: "" }))
    expect(check(1)).toEqual({
      ok: false,
      failure: {
        kind: "invalid_args",
        message: 'Argument "a" must not be empty.',
        field: "a",
        expected: "non-empty string",
      },
    })
  })
  it.each(["", " ", "   ", "\n\t", "\u00a0", "\u3000 \u2003", "\ufeff"])(
    "O18.required: in a required field is refused as empty where the schema wants some, however much of it: %j",
    (blank) => {
      const item = { type: "string", minLength: 1 }
      const check = checkFor(
        object(
          { a: item, l: { type: "array", items: item }, r: { $ref: "#/$defs/long" } },
          { required: ["a"], $defs: { long: { type: "string", minLength: 2 } } },
        ),
      )
      const message = (checked: Checked) => (checked.ok ? "accepted" : checked.failure.message)
      expect(message(check({ a: blank }))).toBe('Argument "a" must not be empty.')
      expect(message(check({ a: "x", l: [blank] }))).toBe('Argument "l[0]" must not be empty.')
      expect(check({ a: "x", r: blank })).toEqual(fixed({ a: "x" }, "r: empty text left out"))
      expect(check({ a: ` x${blank}` })).toEqual(fixed({ a: ` x${blank}` }))
    },
  )

  it("O18: is text where a pattern beside the length says so, and in a result", () => {
    const pattern = { type: "string", minLength: 1, pattern: "[\\s\\S]" }
    const check = checkFor(object({ a: pattern }, { required: ["a"] }))
    expect(check({ a: "  \n" })).toEqual(fixed({ a: "  \n" }))
    expect(check({ a: "" })).toMatchObject({
      failure: { message: 'Argument "a" must not be empty.' },
    })
    const output = object({ text: { type: "string", minLength: 1 } }) as JsonSchema
    const envelope = { ok: true, result: { text: " " } }
    expect(readAnswer({ outputSchema: output }, envelope)).toMatchObject({ ok: true })
  })
})
