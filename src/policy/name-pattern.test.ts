import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { configRoot } from "../config/index.ts"
import { createPolicy } from "./index.ts"
import { compileStars } from "./name-pattern.ts"

function matches(pattern: string, name: string): boolean {
  return compileStars(pattern, configRoot()).matches({ name, groups: [], effects: [] })
}

describe("name patterns", () => {
  it.each([
    ["*", "shell.exec", true],
    ["file.*", "file.read", true],
    ["file.*", "profile.read", false],
    ["file.*", "file", false],
    ["file.*", "filexread", false],
    ["shell.exec", "shell.exec", true],
    ["shell.exec", "shell.execute", false],
    ["shell.exec", "my.shell.exec", false],
    ["Shell.exec", "shell.exec", false],
    ["mcp:github:*", "mcp:github:create_issue", true],
    ["mcp:github:*", "mcp:githubx:create_issue", false],
    ["mcp:*:read_*", "mcp:fs:read_file", true],
    ["*.read", "file.read", true],
    ["*.read", "file.reads", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*ab*ab*", "ab", false],
    ["**", "x", true],
  ])("Y8: %s against %s is %s", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected)
  })

  it("Y8: a pattern means what the same anchored regular expression means", () => {
    const word = (extra: string) =>
      fc.string({ unit: fc.constantFrom("a", "b", ".", ...extra), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(word("**"), word(""), (pattern, name) => {
        const source = pattern.replaceAll(".", "\\.").replaceAll("*", ".*")
        expect(matches(pattern, name)).toBe(new RegExp(`^${source}$`).test(name))
      }),
      { numRuns: 5_000 },
    )
  })

  it.each(["shell.exec ", "shell.exec,file.*", "shell exec", "file.[a-z]", "file.?", "fíle.read"])(
    "Y8: refuses %j, which no tool's name can match",
    (pattern) => {
      expect(() => createPolicy({ agents: { a: { deny: ["web.*", pattern] } } })).toThrow(
        `agents.a.deny[1] is "${pattern}", which is not a tool name, a pattern ("file.*") or a group ("group:fs").`,
      )
    },
  )
})
