import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../contract/index.ts"
import { createMatcher } from "./create-matcher.ts"

const plenty = () => ({ steps: limits.policy.expressionSteps })

/** Random expressions over a small alphabet, so that random texts often match. */
const expressions = fc.letrec<{ expression: string; quantified: string; atom: string }>((tie) => ({
  expression: fc
    .array(fc.array(tie("quantified"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((parts) => parts.join("")).join("|")),
  quantified: fc.oneof(
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc
      .tuple(
        tie("atom"),
        fc.constantFrom("", "", "", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}?", "{0}"),
      )
      .map((parts) => parts.join("")),
  ),
  atom: fc.oneof(
    { maxDepth: 4, depthIdentifier: "nesting" },
    fc.constantFrom(
      ..."a b B 1 é 😀 k \\u212a \\ud83d\\ude00 \\u{1F600} . [ab] [^ab] [] [^] [\\]a-] \\d \\D \\w \\W \\s \\p{L} \\x61 \\.".split(
        " ",
      ),
    ),
    fc
      .tuple(fc.constantFrom("(", "(?:"), tie("expression"))
      .map(([open, inner]) => `${open}${inner})`),
  ),
})).expression

const texts = fc.string({
  unit: fc.constantFrom("a", "b", "A", "1", " ", "\n", "é", "😀", "k", "\u212a", "\ud83d", "."),
  maxLength: 8,
})

/** Tried at each character by hand: V8 itself finds \B between the halves of a surrogate pair. */
function matchesSomewhere(sticky: RegExp, text: string): boolean {
  let position = 0
  for (const character of [...text, ""]) {
    sticky.lastIndex = position
    if (sticky.test(text)) return true
    position += character.length
  }
  return false
}

describe("createMatcher", () => {
  it("Y9: finds exactly what JavaScript's own regular expressions find", () => {
    fc.assert(
      fc.property(
        expressions,
        fc.constantFrom("", "i", "s", "m", "ims"),
        texts,
        (source, letters, text) => {
          const prefix = letters === "" ? "" : `(?${letters})`
          expect(createMatcher(prefix + source).test(text, plenty())).toBe(
            matchesSomewhere(new RegExp(source, `uy${letters}`), text),
          )
        },
      ),
      { numRuns: 10_000 },
    )
  })

  it.each([
    ["(a|a)*b", "a".repeat(200_000)],
    ["(a+)+$", `${"a".repeat(200_000)}!`],
    ["(.*,){11}P", "1,".repeat(100_000)],
    ["curl.*\\|.*sh", "curl ".repeat(40_000)],
    ["^(\\w+\\s?)*$", `${"word ".repeat(40_000)}!`],
  ])("Y9: takes linear time for %s, where backtracking takes years", (source, text) => {
    const effort = plenty()
    expect(createMatcher(source).test(text, effort)).toBe(false)
    expect((limits.policy.expressionSteps - effort.steps) / text.length).toBeLessThan(200)
  })

  it("Y9: sees what stands after a long harmless beginning", () => {
    expect(createMatcher("\\brm -rf\\b").test(`${" ".repeat(1_000_000)}rm -rf /`, plenty())).toBe(
      true,
    )
  })

  it("Y9: stops when the effort is spent", () => {
    expect(() => createMatcher("a").test("b".repeat(100), { steps: 50 })).toThrow(
      expect.objectContaining({ name: "EffortSpent" }),
    )
  })

  it("Y9: counts the effort of short texts too", () => {
    const effort = { steps: 100 }
    expect(createMatcher("secret").test("", effort)).toBe(false)
    expect(effort.steps).toBeLessThan(94)
  })

  it.each([
    ["(", "is not a regular expression: Unterminated group"],
    ["a**", "is not a regular expression: Nothing to repeat"],
    ["\\-", "is not a regular expression: Invalid escape"],
    [
      "a(?=b)",
      "uses look-around ((?=), which can take unbounded time; split it into several rules",
    ],
    [
      "(?<!a)b",
      "uses look-around ((?<!), which can take unbounded time; split it into several rules",
    ],
    [
      "(a)\\1",
      "uses a back-reference (\\1), which can take unbounded time; split it into several rules",
    ],
    [
      "(?<x>a)\\k<x>",
      "uses a back-reference (\\k<), which can take unbounded time; split it into several rules",
    ],
    ["(?:a{1000}){1000}", "is too large: its counted repetitions multiply out"],
    ["(?:(?:){0,1000000000}){1000000000}", "is too large: its counted repetitions multiply out"],
  ])("Y9: refuses %s and says why", (source, message) => {
    expect(() => createMatcher(source)).toThrow(
      expect.objectContaining({ name: "ExpressionError", message }),
    )
  })

  it("Y9: refuses an expression that is too long", () => {
    expect(() => createMatcher("a".repeat(1001))).toThrow("is longer than 1000 characters")
  })

  it("Y9: reads a billion repetitions of nothing as nothing", () => {
    expect(createMatcher("^(?:){1000000000}(?:(?:){5}){1000000000}a$").test("a", plenty())).toBe(
      true,
    )
  })
})
