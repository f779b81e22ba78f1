import { describe, expect, it, vi } from "vitest"
import { checkFor, object } from "../../../test/support/contract/schema-fixture.ts"
import { parseExactly } from "./parse-exactly.ts"

const any = object({
  n: { type: "number" },
  i: { type: "integer" },
  e: { enum: [9007199254740992, 5] },
  a: {},
  l: { type: "array", items: { type: "integer" } },
  o: object({ id: { type: "integer" } }),
})
const check = checkFor(any)

function said(input: unknown): unknown {
  const checked = check(input)
  return checked.ok ? checked.value : [checked.failure.field, checked.failure.message]
}

const refusal = (field: string, source: string) => [
  field,
  `Argument "${field}": ${source} can't be held exactly. Whole numbers go up to 9007199254740991.`,
]

describe("a number in the JSON text of arguments", () => {
  it.each([
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "9007199254740993.0",
    "9007199254740993e0",
    "90071992547409930e-1",
    "1e400",
    "-1e400",
    `1${"0".repeat(30)}1`,
  ])("F1, O16: %s would become another one, and is refused", (source) => {
    const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source
    for (const field of ["n", "i", "a"]) {
      expect(said(`{"${field}": ${source}}`)).toEqual(refusal(field, shown))
    }
    expect(said(`{"l": [1, ${source}]}`)).toEqual(refusal("l[1]", shown))
    expect(said(`{"o": {"id": ${source}}}`)).toEqual(refusal("o.id", shown))
  })

  it.each<[string, number]>([
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740994", 9007199254740994],
    ["1e23", 1e23],
    ["6.02214076e23", 6.02214076e23],
    ["100000000000000000000000", 1e23],
    ["1E+5", 1e5],
    ["0.1234567890123456789", 0.12345678901234568],
    ["3.14159265358979323846", Math.PI],
    ["1e-400", 0],
    ["-0", 0],
    ["-0.0", 0],
    ["-0.5", -0.5],
  ])("F1: %s is read as %d", (source, value) => {
    expect(said(`{"n": ${source}}`)).toEqual({ n: value })
    expect(said(`{"a": [{"x": ${source}}]}`)).toEqual({ a: [{ x: value }] })
  })

  it("F1: looks like one in a text, and is not touched there", () => {
    const text = '9007199254740993 and 1e400, "id": 12345678901234567890'
    expect(said(JSON.stringify({ a: text }))).toEqual({ a: text })
  })
})

describe("a number in a text that is read as what is declared", () => {
  it.each(["9007199254740993", "-12345678901234567890", "1e400"])(
    "O16, O17: %s is refused as a text, and in the JSON text of a list and of an object",
    (source) => {
      expect(said({ i: source })).toEqual(refusal("i", source))
      expect(said({ n: source })).toEqual(refusal("n", source))
      expect(said({ l: `[1, ${source}]` })).toEqual(refusal("l[1]", source))
      expect(said({ o: `{"id": ${source}}` })).toEqual(refusal("o.id", source))
      expect(said({ o: `{"id": "${source}"}` })).toEqual(refusal("o.id", source))
      expect(check({ e: source }).ok).toBe(false)
    },
  )

  it("O16: -0 is 0", () => {
    expect(said({ i: "-0", l: "[-0]" })).toEqual({ i: 0, l: [0] })
  })
})

it.each([9007199254740992, -9007199254740992, 1e300])(
  "F1: a whole number that may have been rounded before it came here is refused: %d",
  (i) => {
    const message = `can't be held exactly. Whole numbers go up to 9007199254740991.`
    expect(said({ i })).toEqual(["i", `Argument "i" ${message}`])
    expect(said({ l: [1, i] })).toEqual(["l[1]", `Argument "l[1]" ${message}`])
    expect(said({ n: i, a: i })).toEqual({ n: i, a: i })
    expect(said({ i: Math.sign(i) * Number.MAX_SAFE_INTEGER })).not.toHaveProperty("0")
  },
)

it("F1: where an engine does not tell how a number was written, none that may be rounded is taken", () => {
  const parse = JSON.parse
  vi.spyOn(JSON, "parse").mockImplementation((text, reviver) =>
    parse(text, reviver && ((key, value) => reviver.call({ [key]: value }, key, value))),
  )
  try {
    expect(parseExactly('{"a": 9007199254740993}').inexact?.source).toBe("9007199254740992")
    expect(parseExactly('{"a": 9007199254740991, "b": "12345678901234567"}').inexact).toBeNull()
  } finally {
    vi.restoreAllMocks()
  }
})
