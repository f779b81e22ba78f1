import { describe, expect, it } from "vitest"
import { configRoot } from "../config/index.ts"
import { createMatcher } from "./create-matcher.ts"

const matcher = (source: string) => createMatcher(source, configRoot().at("when"))

describe("createMatcher", () => {
  it("Y9: finds a match anywhere, with the common syntax and flags", () => {
    const finds = (source: string, text: string) => matcher(source)(text)
    expect(finds("\\brm\\s+-rf\\b", "sudo rm  -rf /")).toBe(true)
    expect(finds("\\brm\\b", "farm")).toBe(false)
    expect(finds("^git push$", "git push")).toBe(true)
    expect(finds("^git push$", "git push\n# more")).toBe(false)
    expect(finds("(?m)^git push$", "git add\ngit push\n")).toBe(true)
    expect(finds("(?i)SECRET", "a secret")).toBe(true)
    expect(finds("a.b", "a\nb")).toBe(false)
    expect(finds("(?s)a.b", "a\nb")).toBe(true)
    expect(finds("^.$", "😀")).toBe(true)
    expect(finds("[^\\x00-\\x7f]", "grüße")).toBe(true)
  })

  it.each([
    ["(a|a)*b", "a".repeat(1_000_000)],
    ["(a+)+$", `${"a".repeat(1_000_000)}!`],
    ["curl.*\\|.*sh", "curl ".repeat(200_000)],
    ["^(\\w+\\s?)*$", `${"word ".repeat(200_000)}!`],
  ])("Y9: takes no time to speak of for %s, where backtracking takes years", (source, text) => {
    const started = performance.now()
    expect(matcher(source)(text)).toBe(false)
    expect(performance.now() - started).toBeLessThan(60_000)
  })

  it("Y9: sees what stands after a long harmless beginning", () => {
    expect(matcher("\\brm -rf\\b")(`${" ".repeat(1_000_000)}rm -rf /`)).toBe(true)
  })

  it.each(["(", "a**", "a(?=b)", "(?<!a)b", "(a)\\1", "a{1000000000}"])(
    "Y9: refuses %s and says that it is not of the kind used here",
    (source) => {
      expect(() => matcher(source)).toThrow(
        expect.objectContaining({
          name: "DefinitionError",
          message: expect.stringMatching(/^when is not a regular expression of the kind used here/),
        }),
      )
    },
  )

  it("Y9: refuses an expression that is too long", () => {
    expect(() => matcher("a".repeat(1001))).toThrow("when is longer than 1000 characters.")
  })
})
