import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { accepted, checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import type { Checked } from "../index.ts"

const expected = 'a JSON object such as {"path": "notes.md"}'

function refused(message: string): Checked {
  return { ok: false, failure: { kind: "invalid_args", message, expected } }
}

const integer = { type: "integer" }

describe("the arguments as a whole", () => {
  const check = checkFor(object({ n: integer }))

  it.each<[string, unknown, Checked]>([
    ["an object", { n: 1 }, accepted({ n: 1 })],
    ["the JSON text of an object", ' {"n": 1}\n', accepted({ n: 1 })],
    ["nothing", undefined, accepted({})],
    ["empty text", "", accepted({})],
    ["blank text", " \n", accepted({})],
    ["null", null, refused("The arguments must be a JSON object; got null.")],
    ["a list", [{ n: 1 }], refused("The arguments must be a JSON object; got a list of 1 item.")],
    ["a number", 5, refused("The arguments must be a JSON object; got a number.")],
    ["a boolean", true, refused("The arguments must be a JSON object; got a boolean.")],
    ["a function", () => 1, refused("The arguments must be a JSON object; got a function.")],
    ["JSON null", "null", refused("The arguments must be a JSON object; got null.")],
    ["a JSON list", "[1, 2]", refused("The arguments must be a JSON object; got a list.")],
    [
      "JSON text that is text",
      '"secret"',
      refused("The arguments must be a JSON object; got text of 6 characters."),
    ],
    [
      "JSON that breaks off",
      '{"n": 1',
      refused("The arguments are not valid JSON (at position 7). Send one JSON object."),
    ],
    [
      "text that is no JSON, which is not quoted back",
      "secret words",
      refused("The arguments are not valid JSON. Send one JSON object."),
    ],
    [
      "JSON text beyond the limit",
      " ".repeat(16 * 1024 * 1024 + 1),
      refused("The arguments are larger than 16777216 bytes."),
    ],
  ])("F1, O16, O17: %s", (_, input, answer) => {
    expect(check(input)).toEqual(answer)
  })
})

describe("the dialects", () => {
  it("Y3: draft 2020-12 is the default: a tuple is prefixItems, and unevaluatedProperties closes", () => {
    const check = checkFor({
      type: "object",
      allOf: [object({ pair: { type: "array", prefixItems: [integer, integer], items: false } })],
      unevaluatedProperties: false,
    })
    expect(check({ pair: [1, 2] })).toEqual(accepted({ pair: [1, 2] }))
    expect(check({ pair: [1, 2, 3] }).ok).toBe(false)
    expect(check({ pairs: [1] }).ok).toBe(false)
  })

  it("Y3: draft-07, where $schema says so: a tuple is a list of items", () => {
    const check = checkFor({
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({ pair: { type: "array", items: [integer, integer], additionalItems: false } }),
    })
    expect(check({ pair: [1, 2] })).toEqual(accepted({ pair: [1, 2] }))
    expect(check({ pair: [1, 2, 3] }).ok).toBe(false)
  })

  it("Y3: formats are enforced, down to the days of a month", () => {
    const check = checkFor(object({ day: { type: "string", format: "date" } }))
    expect(check({ day: "2024-02-29" })).toEqual(accepted({ day: "2024-02-29" }))
    expect(check({ day: "2023-02-29" }).ok).toBe(false)
  })
})

describe("whatever is sent", () => {
  const $defs = { tag: { type: "string", minLength: 1 } }
  const check = checkFor(
    object(
      {
        n: integer,
        mode: { enum: ["Fast", "safe"] },
        note: { type: "string" },
        tags: { type: "array", items: { $ref: "#/$defs/tag" } },
        opts: object({ deep: { type: "boolean", default: true }, name: { type: "string" } }),
        either: { anyOf: [integer, object({ x: integer })] },
      },
      { required: ["n"], $defs },
    ),
  )
  const part = fc.oneof(
    fc.jsonValue(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom(
      "",
      " ",
      "FAST",
      "5",
      "yes",
      '{"x":"1"}',
      '["a",""]',
      '{"deep":"no","name":""}',
    ),
    fc.record({
      deep: fc.constantFrom("true", true),
      name: fc.string(),
      x: fc.constantFrom("1", 2),
    }),
  )
  const keys = ["n", "mode", "note", "tags", "opts", "either", "other", "__proto__"]
  const input = fc
    .array(fc.tuple(fc.constantFrom(...keys), part), { maxLength: 8 })
    .map((entries) => Object.fromEntries([["n", "1"], ...entries]) as Record<string, unknown>)

  it("O16, O18, O19: the caller's object is never changed, deep inside either", () => {
    fc.assert(
      fc.property(input, (given) => {
        const before = structuredClone(given)
        const frozen = deepFreeze(given)
        check(frozen)
        expect(frozen).toEqual(before)
      }),
      { numRuns: 2_000 },
    )
  })

  it("O16, O18, O19: what was accepted is accepted again with nothing left to repair", () => {
    fc.assert(
      fc.property(input, (given) => {
        const once = check(given)
        if (once.ok) expect(check(once.value)).toEqual(accepted(once.value))
      }),
      { numRuns: 2_000 },
    )
  })

  it("F1, O8: a refused value never appears in its refusal", () => {
    const secret = fc.uuid()
    const hide = (marker: string) =>
      fc.constantFrom<unknown>(
        marker,
        [marker],
        { x: marker },
        [[marker]],
        `{"x": "${marker}"}`,
        `[${marker}]`,
      )
    const hidden = secret.chain((marker) =>
      fc.tuple(
        fc.constant(marker),
        fc.constantFrom("n", "mode", "tags", "opts", "either", "other"),
        hide(marker),
      ),
    )
    fc.assert(
      fc.property(hidden, ([marker, key, value]) => {
        const answer = check({ n: 1, [key]: value })
        if (!answer.ok) expect(JSON.stringify(answer)).not.toContain(marker)
      }),
      { numRuns: 2_000 },
    )
    expect(check(`{"n": ${"f".repeat(30)}}`)).toEqual(
      refused("The arguments are not valid JSON. Send one JSON object."),
    )
  })
})

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part)
    Object.freeze(value)
  }
  return value
}
