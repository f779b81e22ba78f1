import { describe, expect, it } from "vitest"
import {
  optionalString,
  requireInteger,
  requireObject,
  requireString,
  requireStringArray,
  ToolFailure,
} from "../index.ts"

/** The failure that a helper throws, without its stack. */
function failureOf(work: () => unknown) {
  try {
    return { value: work() }
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    const { kind, message, field, expected } = error
    return { kind, message, field, expected }
  }
}

const wrong = (message: string) => ({
  kind: "invalid_args",
  message,
  field: "a",
  expected: "a thing",
})
const missing = wrong('Missing required argument "a" (a thing).')

type Helper = (args: Record<string, unknown>, field: string, expected: string) => unknown

describe("the require helpers", () => {
  it.each<[string, Helper, unknown, object]>([
    ["requireString", requireString, "x", { value: "x" }],
    ["requireString", requireString, undefined, missing],
    ["requireString", requireString, 5, wrong('Argument "a" must be a string.')],
    ["requireString", requireString, null, wrong('Argument "a" must be a string.')],
    ["requireString", requireString, " \n", wrong('Argument "a" must not be empty.')],
    ["optionalString", optionalString, "x", { value: "x" }],
    ["optionalString", optionalString, undefined, { value: undefined }],
    ["optionalString", optionalString, " ", { value: undefined }],
    ["optionalString", optionalString, 5, wrong('Argument "a" must be a string.')],
    ["requireStringArray", requireStringArray, ["x", ""], { value: ["x", ""] }],
    ["requireStringArray", requireStringArray, [], { value: [] }],
    ["requireStringArray", requireStringArray, undefined, missing],
    [
      "requireStringArray",
      requireStringArray,
      "x",
      wrong('Argument "a" must be an array of strings.'),
    ],
    [
      "requireStringArray",
      requireStringArray,
      ["x", 5],
      wrong('Argument "a" must be an array of strings.'),
    ],
    ["requireInteger", requireInteger, -5, { value: -5 }],
    ["requireInteger", requireInteger, undefined, missing],
    ["requireInteger", requireInteger, "5", wrong('Argument "a" must be an integer.')],
    ["requireInteger", requireInteger, 1.5, wrong('Argument "a" must be an integer.')],
    ["requireInteger", requireInteger, 2 ** 53, wrong('Argument "a" must be an integer.')],
    ["requireInteger", requireInteger, true, wrong('Argument "a" must be an integer.')],
  ])(
    "O12.string, O12.array, O12.integer, O12.optional, O12.fields: %s(%j)",
    (_, helper, value, outcome) => {
      expect(failureOf(() => helper({ a: value }, "a", "a thing"))).toEqual(outcome)
    },
  )

  it("O12.string: what an object inherits is missing", () => {
    expect(failureOf(() => requireString({}, "toString", "a thing"))).toEqual({
      kind: "invalid_args",
      message: 'Missing required argument "toString" (a thing).',
      field: "toString",
      expected: "a thing",
    })
    expect(optionalString({}, "constructor", "a thing")).toBeUndefined()
  })

  it.each<[unknown]>([["x"], [["x"]], [null], [undefined], [5]])(
    "O12.object: requireObject(%j)",
    (value) => {
      expect(failureOf(() => requireObject(value))).toEqual({
        kind: "invalid_args",
        message: "The arguments must be a JSON object.",
        field: undefined,
        expected: "a JSON object",
      })
      const object = {}
      expect(requireObject(object)).toBe(object)
    },
  )
})
