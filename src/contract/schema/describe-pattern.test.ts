import { describe, expect, it } from "vitest"
import { describePattern } from "./describe-pattern.ts"

describe("a regular expression in words", () => {
  it.each([
    [
      "^[a-z0-9][a-z0-9_-]{0,62}$",
      'one of a to z or 0 to 9, then up to 62 of a to z, 0 to 9, "_" or "-"',
    ],
    ["^[0-7]{3}$", "3 of 0 to 7"],
    ["^/", '"/" at its start'],
    [
      "^(f[0-9]{1,6})?e[0-9]{1,9}$",
      'optionally ("f", then 1 to 6 of 0 to 9), then "e", then 1 to 9 of 0 to 9',
    ],
    ["^\\d+\\.\\d+$", 'one or more of 0 to 9, then ".", then one or more of 0 to 9'],
    ["^(?:cat|dog)$", '"cat" or "dog"'],
    ["^a|b$", '"a" or "b"'],
    ["[^\\s]", "any character but white space in it"],
    [".md$", 'any character, then "md" at its end'],
    ["^[\\w.]*$", 'any number of A to Z, a to z, 0 to 9, "_" or "."'],
    ["^", "anything"],
    ["^$", "nothing"],
  ])("O21: %s is %s", (pattern, words) => {
    expect(describePattern(pattern)).toBe(words)
  })

  it.each([
    "^(?!x)a$",
    "^\\p{L}+$",
    "^(a)\\1$",
    "a^b",
    "^[a",
    "^(a",
    "^a)$",
    "\\",
    `^${"[a-z]x".repeat(40)}$`,
  ])("O21: %s has none that help", (pattern) => {
    expect(describePattern(pattern)).toBeNull()
  })
})
