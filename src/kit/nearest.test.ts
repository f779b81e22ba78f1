import { expect, it } from "vitest"
import { nearest } from "./index.ts"

const names = ["path", "recursive", "timeout_ms", "limit", "x"]

it.each<[string, string | null]>([
  ["path", "path"],
  ["Path", "path"],
  ["paht", "path"],
  ["pth", "path"],
  ["file_path", null],
  ["timeoutMs", "timeout_ms"],
  ["timeout-ms", "timeout_ms"],
  ["timeoutms", "timeout_ms"],
  ["recursively", "recursive"],
  ["limits", "limit"],
  ["encoding", null],
  ["y", null],
  ["X", "x"],
  ["", null],
])("O15: %j was meant to be %j", (word, meant) => {
  expect(nearest(word, names)).toBe(meant)
})

it("O15: the closest wins, and of equals the first", () => {
  expect(nearest("reads", ["reader", "read", "ready"])).toBe("read")
  expect(nearest("ab", ["aa", "bb"])).toBe("aa")
})

it("O15: of nothing there is nothing near, and a hostile word costs little", () => {
  expect(nearest("path", [])).toBe(null)
  expect(nearest("a".repeat(1_000_000), ["a".repeat(64), "path"])).toBe("a".repeat(64))
})
