import { Validator } from "@cfworker/json-schema"
import { describe, expect, it } from "vitest"
import { type AttackReport, attackChecks, Findings } from "./attack-checks.ts"
import { builtInTools, keywordTools } from "./fuzz-tools.ts"
import { mutateInput } from "./mutate-input.ts"
import { createRandom } from "./random.ts"
import { ValidValues } from "./valid-value.ts"

/** Everything that must not be, as one value that a failed test shows with its samples. */
function broken({ thrown, malformed, invalid, unstable, mutated }: AttackReport) {
  return { thrown, malformed, invalid, unstable, mutated }
}

const none = new Findings()
const nothing = { thrown: none, malformed: none, invalid: none, unstable: none, mutated: none }

describe("generated inputs", () => {
  it("F1, O1, O15, O16, O17, O18, O19, O20: 100,000 for the built-in tools: no throw, each accepted one valid and final", () => {
    const report = attackChecks(builtInTools, 100_000, 20260101)
    expect(broken(report)).toEqual(nothing)
    // Neither all right nor all wrong: that would prove nothing.
    expect(report.accepted).toBeGreaterThan(20_000)
    expect(report.repaired).toBeGreaterThan(2_000)
    expect(report.inputs - report.accepted).toBeGreaterThan(20_000)
  }, 600_000)

  it("F1, O15, O16, O17, O18, O19, O21: 20,000 for every other keyword: unions, references, tuples, conditions, defaults, draft-07", () => {
    const report = attackChecks(keywordTools, 20_000, 20260102)
    expect(broken(report)).toEqual(nothing)
    expect(report.accepted).toBeGreaterThan(4_000)
    expect(report.repaired).toBeGreaterThan(400)
  }, 600_000)
})

describe("their generator", () => {
  it("makes values that the built-in tools accept, and that are valid", () => {
    for (const tool of builtInTools) {
      const values = new ValidValues(tool.inputSchema, createRandom(1))
      const validator = new Validator(structuredClone(tool.inputSchema) as object, "2020-12")
      for (let count = 0; count < 200; count += 1) {
        const value = values.next()
        expect(validator.validate(value).errors).toEqual([])
        expect(tool.check(value)).toMatchObject({ ok: true, notes: [] })
      }
    }
  })

  it("makes the same inputs for the same seed, and others for another", () => {
    const inputs = (seed: number) => {
      const random = createRandom(seed)
      return builtInTools.map((tool) =>
        String(
          JSON.stringify(mutateInput(new ValidValues(tool.inputSchema, random).next(), random)),
        ),
      )
    }
    expect(inputs(5)).toEqual(inputs(5))
    expect(inputs(5)).not.toEqual(inputs(6))
  })

  it("refuses a keyword that it does not know, instead of leaving it untested", () => {
    const values = new ValidValues({ type: "string", contentEncoding: "base64" }, createRandom(1))
    expect(() => values.next()).toThrow(
      "The generator of inputs does not know the keyword contentEncoding: teach it.",
    )
  })

  it("reaches every kind of wrong: types, text, keys, depth, size, whole inputs", () => {
    const random = createRandom(7)
    const seen = new Set<string>()
    const look = (value: unknown, depth: number): void => {
      if (depth > 64) seen.add("deep")
      if (typeof value === "string") {
        if (value.length >= 100_000) seen.add("huge")
        if (value.trim() === "") seen.add("blank")
        if (!value.isWellFormed()) seen.add("lone surrogate")
        if (/^[[{]/.test(value)) seen.add("JSON text")
      }
      if (value === null) seen.add("null")
      if (Object.is(value, -0)) seen.add("-0")
      if (value === 1e308) seen.add("1e308")
      if (typeof value !== "object" || value === null || depth > 65) return
      for (const [key, part] of Object.entries(value)) {
        if (key === "__proto__" || key === "constructor") seen.add(key)
        if (key === "extra") seen.add("unknown key")
        if (key === "properties" && depth === 0) seen.add("wrapper")
        look(part, depth + 1)
      }
    }
    for (const tool of builtInTools) {
      const values = new ValidValues(tool.inputSchema, random)
      for (let count = 0; count < 200; count += 1) {
        const input = mutateInput(values.next(), random)
        if (typeof input !== "object") seen.add(`top level ${typeof input}`)
        if (Array.isArray(input)) seen.add("top level array")
        look(input, 0)
      }
    }
    expect([...seen].sort()).toEqual(
      [
        ...[
          "-0",
          "1e308",
          "JSON text",
          "__proto__",
          "blank",
          "constructor",
          "deep",
          "huge",
          "null",
        ],
        ...["lone surrogate", "unknown key", "wrapper", "top level array", "top level bigint"],
        ...["top level boolean", "top level function", "top level number", "top level string"],
        ...["top level symbol", "top level undefined"],
      ].sort(),
    )
  })
})
