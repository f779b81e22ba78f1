import { expect, it } from "vitest"
import { isPortablePattern } from "./portable-pattern.ts"

it.each<[string]>([
  ["^"],
  ["^[a-z0-9][a-z0-9_-]{0,62}$"],
  ["^(f[0-9]{1,6})?e[0-9]{1,9}$"],
  ["^[A-Za-z0-9!#$&^_.+-]{1,127}/[^\\r\\n]*$"],
  ["a|b+?|(?:cé){2}\\.\\d\\x1f"],
])("Y3: %s is read everywhere", (pattern) => {
  expect(isPortablePattern(pattern)).toBe(true)
})

it.each<[string]>([
  ["\\p{C}"],
  ["[^\\p{L}]"],
  ["(?=a)b"],
  ["(?<!a)b"],
  ["(?<name>a)"],
  ["(a)\\1"],
  ["\\u0041"],
  ["\\u{1F600}"],
  ["\\cA"],
  ["\\0"],
  ["[]"],
  ["[^]"],
  ["[[:alpha:]]"],
  ["[\\b]"],
  ["a{1001}"],
  ["(a{100}){100}"],
  ["(a"],
  ["a**"],
])("Y3: %s is not", (pattern) => {
  expect(isPortablePattern(pattern)).toBe(false)
})
