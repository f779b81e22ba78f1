import fc from "fast-check"
import { expect, it } from "vitest"
import { defineTool } from "../index.ts"
import { compileSchema } from "./compile-schema.ts"

function isTaken(limit: { minLength: number } | { maxLength: number }, text: string): boolean {
  const tool = defineTool({
    name: "demo.length",
    description: "A demonstration.",
    input: {
      type: "object",
      properties: { a: { type: "string", ...limit } },
      required: ["a"],
      additionalProperties: false,
    },
    run() {},
  })
  return tool.check({ a: text }).ok
}

it("F1: lengths count characters, not the halves of a surrogate pair, as JSON Schema says", () => {
  const text = fc.array(fc.constantFrom("a", "語", "😀", "\ud800", "\udc00"), { maxLength: 8 })
  fc.assert(
    fc.property(text, fc.nat(8), (characters, limit) => {
      const written = characters.join("")
      const length = [...written].length
      expect(isTaken({ maxLength: limit }, written)).toBe(length <= limit)
      expect(isTaken({ minLength: limit }, written)).toBe(length >= limit)
    }),
    { numRuns: 150 },
  )
})

it("F1: a text just over a limit of a million is counted, and refused as the schema says", () => {
  expect(isTaken({ maxLength: 1_000_000 }, `😀${"x".repeat(999_999)}`)).toBe(true)
  expect(isTaken({ maxLength: 1_000_000 }, `😀${"x".repeat(1_000_000)}`)).toBe(false)
  expect(isTaken({ minLength: 1_000_000 }, `😀${"x".repeat(999_998)}`)).toBe(false)
})

it.each(["compiled", "interpreted"] as const)(
  "F1: a text that is too long is refused for that, before a pattern or a format reads it (%s)",
  (how) => {
    for (const rule of [{ pattern: "^[a-z]+/[a-z]+$" }, { format: "email" }]) {
      const schema = { type: "string", maxLength: 200, ...rule } as const
      const { problems } = compileSchema(
        { type: "object", properties: { a: schema }, additionalProperties: false },
        how,
      )
      const found = problems({ a: "x".repeat(1_000_000) })
      expect(found?.map(({ message }) => message)).toEqual([
        "must NOT have more than 200 characters",
      ])
    }
  },
)
