import { describe, expect, it } from "vitest"
import { readRepositoryFile, repositoryFiles } from "../../../scripts/repository.ts"
import { isObject } from "../../../src/contract/index.ts"
import { builtInTools } from "../../fuzz/fuzz-tools.ts"
import { findExpressions } from "./find-expressions.ts"
import { slowText } from "./slow-text.ts"

/** These meet short texts only. */
const bounded: Readonly<Record<string, string>> = {
  "src/kit/group-digits.ts": "the digits of a number",
  "src/tools/web/page-content.ts": "the first 1024 bytes of a page",
}

describe("the check of regular expressions", () => {
  it("finds none in the sources whose time grows faster than the text", {
    timeout: 300_000,
  }, async () => {
    const files = (await repositoryFiles("src", ".ts")).filter((file) => !file.endsWith(".test.ts"))
    const read = async (file: string) => findExpressions(file, await readRepositoryFile(file))
    const found = (await Promise.all(files.map(read))).flat()
    expect(found.length).toBeGreaterThan(200)
    const slow = found
      .map(({ file, line, expression }) => ({ file, line, text: slowText(expression) }))
      .filter(({ text }) => text !== null)
    expect(slow.filter(({ file }) => !Object.hasOwn(bounded, file))).toEqual([])
  })

  it("finds none in the schemas of the built-in tools either", () => {
    const patterns = new Set(builtInTools.flatMap((tool) => patternsIn(tool.inputSchema)))
    expect(patterns.size).toBeGreaterThan(3)
    const slow = [...patterns].filter((pattern) => slowText(new RegExp(pattern, "u")) !== null)
    expect(slow).toEqual([])
  })

  it.each([
    ["blanks at the end, sought from each blank", /\s+$/],
    ["a stack trace's first line", /\n\s+at /],
    ["comments that can be divided in many ways", /^\s*(<!--.*?-->\s*)*<html/s],
    ["digits that two parts can take", /^(\d+\.?\d*)$/],
    ["repetitions in each other", /^(a+)+$/],
  ])("finds %s", (_, expression) => {
    expect(slowText(expression)).not.toBeNull()
  })

  it.each([/^\s+/, /[^\n]*\n|[^\n]+$/g, /^"(?:[^"\\]|\\.)*"$/, /^(\d+(?:\.\d*)?)$/, /a{1,3}/])(
    "has nothing against %s",
    (expression) => {
      expect(slowText(expression)).toBeNull()
    },
  )
})

function patternsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(patternsIn)
  if (!isObject(schema)) return []
  const own = typeof schema.pattern === "string" ? [schema.pattern] : []
  return [...own, ...Object.values(schema).flatMap(patternsIn)]
}
