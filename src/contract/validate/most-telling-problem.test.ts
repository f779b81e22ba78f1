import { describe, expect, it } from "vitest"
import { failureOf, invalid, object } from "../../../test/support/contract/schema-fixture.ts"

const integer = { type: "integer" }
const text = { type: "string" }

describe("where several things are wrong or several would be right", () => {
  const x = object({ kind: { const: "x" }, n: integer }, { required: ["kind", "n"] })
  const y = object({ kind: { const: "y" }, s: text }, { required: ["kind", "s"] })

  it.each<[string, object, object, ReturnType<typeof invalid>]>([
    [
      "the branch of a union that got furthest",
      object({ a: { anyOf: [x, y] } }),
      { a: { kind: "x", n: "none" } },
      invalid('Argument "a.n" must be integer; got text of 4 characters.', "a.n", "integer"),
    ],
    [
      "all branches, when none got anywhere",
      object({ a: { anyOf: [integer, { type: "null" }, { type: "array", items: integer }] } }),
      { a: true },
      invalid(
        'Argument "a" must be integer or null or array of integer; got a boolean.',
        "a",
        "integer or null or array of integer",
      ),
    ],
    [
      "the missing key that another key asks for",
      object(
        { a: integer, b: { ...text, description: "What for" } },
        { dependentRequired: { a: ["b"] } },
      ),
      { a: 1 },
      invalid(
        'Missing required argument "b" beside "a" (string (What for)).',
        "b",
        "string (What for)",
      ),
    ],
    [
      "the missing key of a condition, and no key that is there",
      object({ a: integer, b: text }, { if: { required: ["b"] }, else: { required: ["b"] } }),
      { a: 1 },
      invalid('Missing required argument "b".', "b", undefined),
    ],
    [
      "what a $ref stands for",
      object(
        { a: { $ref: "#/$defs/size" } },
        { required: ["a"], $defs: { size: { ...integer, minimum: 1 } } },
      ),
      {},
      invalid('Missing required argument "a" (integer from 1).', "a", "integer from 1"),
    ],
    [
      "at most twenty of many choices",
      object({ a: { enum: Array.from({ length: 30 }, (_, index) => index) } }),
      { a: true },
      invalid(
        `Argument "a" must be one of ${Array.from({ length: 20 }, (_, index) => index).join(", ")}, ...; got a boolean.`,
        "a",
        `one of ${Array.from({ length: 20 }, (_, index) => index).join(", ")}, ...`,
      ),
    ],
  ])("O8: the refusal names %s", (_, inputSchema, input, failure) => {
    expect(failureOf(inputSchema, input)).toEqual(failure)
  })
})
