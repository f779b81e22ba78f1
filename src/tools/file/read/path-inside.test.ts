import { expect, it } from "vitest"
import { pathInside } from "./list-tool.ts"

it.each([
  [".", "a", "a"],
  ["./", "a", "a"],
  ["", "a", "a"],
  ["./src//", "a", "src/a"],
  ["src", "deep/a", "src/deep/a"],
  ["..", "a", "../a"],
  ["/", "a", "/a"],
  ["//", "a", "/a"],
  ["/work/x/", "a", "/work/x/a"],
  [".hidden", "a", ".hidden/a"],
  [".", " ", "./ "],
  [".", "-rf", "-rf"],
])("O4: in %s, the entry %s is reached as %s", (directory, name, expected) => {
  expect(pathInside(directory, name)).toBe(expected)
})
