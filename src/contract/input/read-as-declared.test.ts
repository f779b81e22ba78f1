import { describe, expect, it } from "vitest"
import { type Checked, defineTool, type JsonSchema } from "../index.ts"

/** Checks `{a: value}` where `a` is required and has this schema. */
function check(schema: unknown, value: unknown): Checked {
  const tool = defineTool({
    name: "demo.read",
    description: "A demonstration.",
    input: {
      type: "object",
      properties: { a: schema as JsonSchema },
      required: ["a"],
      additionalProperties: false,
    },
    run() {},
  })
  return tool.check({ a: value })
}

function read(schema: unknown, value: unknown): unknown {
  const checked = check(schema, value)
  return checked.ok ? checked.value.a : "refused"
}

describe("text where a number is declared", () => {
  it.each<[string, unknown]>([
    ["15", 15],
    ["-3", -3],
    ["0", 0],
    [" 15 ", 15],
    ["15.0", 15],
    ["1e3", 1000],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "refused"],
    ["3.14", "refused"],
    ["1e999", "refused"],
    ["0x10", "refused"],
    ["+5", "refused"],
    ["015", "refused"],
    ["1_000", "refused"],
    ["1,000", "refused"],
    ["٣", "refused"],
    ["５", "refused"],
    ["", "refused"],
    ["  ", "refused"],
    ["true", "refused"],
    ["null", "refused"],
    ["NaN", "refused"],
    ["Infinity", "refused"],
    ["15 apples", "refused"],
    ["[15]", "refused"],
    [`1${"0".repeat(50)}`, "refused"],
  ])("O16.numbers: %j is read as the integer %j", (text, expected) => {
    expect(read({ type: "integer" }, text)).toBe(expected)
  })

  it.each<[string, unknown]>([
    ["3.14", 3.14],
    ["-0.5", -0.5],
    ["2E-3", 0.002],
    ["15", 15],
    ["1e999", "refused"],
    [".5", "refused"],
    ["5.", "refused"],
    ["0x10", "refused"],
  ])("O16.numbers: %j is read as the number %j", (text, expected) => {
    expect(read({ type: "number" }, text)).toBe(expected)
  })

  it("O16: what it was read as is a note, which quotes only the start of a long text", () => {
    expect(check({ type: "integer" }, "15")).toEqual({
      ok: true,
      value: { a: 15 },
      notes: ['a: text "15" read as 15'],
    })
    const long = `{${" ".repeat(60)}}`
    expect(check({ type: "object", properties: {}, additionalProperties: false }, long)).toEqual({
      ok: true,
      value: { a: {} },
      notes: [`a: text "{${" ".repeat(39)}…" read as an object of 0`],
    })
  })
})

describe("text where a boolean is declared", () => {
  it.each<[string, unknown]>([
    ["true", true],
    ["TRUE", true],
    ["yes", true],
    ["Yes ", true],
    ["1", true],
    ["false", false],
    ["no", false],
    ["0", false],
    ["on", "refused"],
    ["y", "refused"],
    ["2", "refused"],
    ["1.0", "refused"],
  ])("O16.booleans: %j is read as %j", (text, expected) => {
    expect(read({ type: "boolean" }, text)).toBe(expected)
  })
})

describe("text where an array or an object is declared", () => {
  const list = { type: "array", items: { type: "string" } }
  const closed = {
    type: "object",
    properties: { n: { type: "integer" } },
    additionalProperties: false,
  }

  it("O16.arrays: the JSON text of an array is read, also with white space around it", () => {
    expect(check(list, ' ["a", "b"]\n')).toEqual({
      ok: true,
      value: { a: ["a", "b"] },
      notes: ['a: text " [\\"a\\", \\"b\\"]\\n" read as an array of 2'],
    })
  })

  it.each(["a", "a,b", '["a"', "{}", '"a"', "[a]", "null"])("O16.bare: %j is no array", (text) => {
    expect(read(list, text)).toBe("refused")
  })

  it("O17: the JSON text of an object is read, and its own parts are read as well", () => {
    expect(check(closed, '{"n": "5"}')).toEqual({
      ok: true,
      value: { a: { n: 5 } },
      notes: ['a: text "{\\"n\\": \\"5\\"}" read as an object of 1', 'a.n: text "5" read as 5'],
    })
  })

  it.each(["n=5", '{"n": 5', "[]", "{n: 5}", "null", '{"m": 5}'])(
    "O17: %j is no such object",
    (text) => {
      expect(read(closed, text)).toBe("refused")
    },
  )

  it("O17: a key of JSON text that would be a prototype is an unknown key", () => {
    expect(check(closed, '{"__proto__": {"n": 5}}')).toEqual({
      ok: false,
      failure: {
        kind: "invalid_args",
        message: 'Unknown argument "a.__proto__"; known here: n.',
        field: "a.__proto__",
        expected: "only n",
      },
    })
  })
})

describe("a choice", () => {
  const mode = { enum: ["read", "Write"] }

  it.each<[unknown, string, unknown]>([
    [mode, "read", "read"],
    [mode, "READ", "read"],
    [mode, " write ", "Write"],
    [mode, "reed", "refused"],
    [{ enum: ["a", "A"] }, "A", "A"],
    [{ enum: ["Ab", "aB"] }, "ab", "refused"],
    [{ type: "string", enum: ["ÉTÉ"] }, "été", "ÉTÉ"],
    [{ const: "Exact" }, "exact", "Exact"],
    [{ enum: [1, 2, "auto"] }, "2", 2],
    [{ enum: [1, 2, "auto"] }, "AUTO", "auto"],
    [{ enum: [1, 2, "auto"] }, "3", "refused"],
    [{ enum: ["1", 1] }, "1", "1"],
    [{ enum: ["1", 1] }, " 1", "refused"],
    [{ const: 5 }, "5", 5],
    [{ enum: [true, "maybe"] }, "yes", true],
    [{ enum: [null, "x"] }, "null", "refused"],
    [{ type: "integer", enum: [1, 2] }, "2", 2],
  ])("O19: of %j, %j is read as %j", (schema, text, expected) => {
    expect(read(schema, text)).toBe(expected)
  })

  it("O19: the declared form is a note", () => {
    expect(check(mode, "READ")).toEqual({
      ok: true,
      value: { a: "read" },
      notes: ['a: "READ" read as "read"'],
    })
  })
})

describe("what is never read as something else", () => {
  it.each<[string, unknown, unknown]>([
    ["text where text is declared", { type: "string" }, "15"],
    ["text where text may stand", { type: ["integer", "string"] }, "15"],
    ["text where anything may stand", {}, "15"],
    ["an array as text", { type: "string" }, '["a"]'],
    ["null where null may stand", { type: ["string", "null"] }, null],
  ])("O16: %s stays", (_, schema, value) => {
    expect(check(schema, value)).toEqual({ ok: true, value: { a: value }, notes: [] })
  })

  it.each<[string, unknown, unknown]>([
    ["a boolean is no integer", { type: "integer" }, true],
    ["a boolean is no number", { type: "number" }, false],
    ["an integer is no boolean", { type: "boolean" }, 1],
    ["null is no text", { type: "string" }, null],
    ["null is no number", { type: "integer" }, null],
    ["null is no array", { type: "array", items: {} }, null],
    ["a number is no text", { type: "string" }, 15],
    ["a fraction is no integer", { type: "integer" }, 1.5],
    ["an array of one is no number", { type: "integer" }, [15]],
    ["a number is no array", { type: "array", items: {} }, 15],
    ["an object is no array", { type: "array", items: {} }, {}],
    ["a bigint is no integer", { type: "integer" }, 15n],
    ["not a number is no number", { type: "number" }, Number.NaN],
  ])("O16: %s", (_, schema, value) => {
    expect(read(schema, value)).toBe("refused")
  })

  it("O16: where several types are declared, the first that the text can be is taken", () => {
    expect(read({ type: ["boolean", "integer"] }, "1")).toBe(1)
    expect(read({ type: ["boolean", "integer"] }, "yes")).toBe(true)
    expect(read({ type: ["array", "integer"], items: {} }, "[1]")).toEqual([1])
    expect(read({ type: ["integer", "null"] }, "null")).toBe("refused")
  })
})
