import { expect, it } from "vitest"
import { folderProblems, type KnownFolders } from "../../scripts/layers/folder-problems.ts"
import { knownFolders } from "../../scripts/layers/known-folders.ts"
import { readConsoleSources, readSources } from "../../scripts/repository.ts"

const problemsOf = (files: Record<string, string>, known?: KnownFolders) =>
  folderProblems(new Map(Object.entries(files)), known)

const sources = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/kit/part-${index}.ts`, ""]))

it("finds nothing wrong with the folders of this repository", async () => {
  const console = await readConsoleSources()
  expect([...console.keys()]).toContain("console/parts/text/markdown.tsx")
  expect(folderProblems(new Map([...(await readSources()), ...console]), knownFolders)).toEqual([])
})

it("refuses a sixteenth source file in a folder, and counts no tests", () => {
  expect(problemsOf({ ...sources(15), "src/kit/part-1.test.ts": "" })).toEqual([])
  expect(problemsOf(sources(16))).toEqual(["src/kit holds 16 source files; at most 15 may"])
  const views = Array.from({ length: 16 }, (_, index) => [`console/views/${index}.tsx`, ""])
  expect(problemsOf(Object.fromEntries(views))).toEqual([
    "console/views holds 16 source files; at most 15 may",
  ])
})

it("lets a known over-full folder shrink, but not grow, and wants its entry removed in the end", () => {
  const known = { full: { "src/kit": 18 }, cycles: [] }
  expect(problemsOf(sources(18), known)).toEqual([])
  expect(problemsOf(sources(19), known)).toEqual(["src/kit holds 19 source files; at most 18 may"])
  expect(problemsOf(sources(17), known)).toEqual([])
  expect(problemsOf(sources(15), known)).toEqual([
    "src/kit is not over-full any more: remove it from known-folders.ts",
  ])
})

const circle = {
  "src/tools/file/read.ts": 'import "../shell/run.ts"',
  "src/tools/shell/run.ts": 'import type { Edit } from "../patch/edit.ts"',
  "src/tools/patch/edit.ts": 'const load = () => import("../file/read.ts")',
  "src/tools/image/show.ts": 'import "../file/read.ts"',
}

it("catches sibling folders that import each other in a circle, at any depth", () => {
  expect(problemsOf(circle)).toEqual([
    "folders import each other in a circle: src/tools: file, patch, shell",
  ])
})

it("lets files import the sub-folders of their folder, and tests import anything", () => {
  expect(
    problemsOf({
      "src/tools/file/read.ts": 'import "./paths/check.ts"',
      "src/tools/file/paths/check.ts": 'import "../limits.ts"',
      "src/tools/shell/run.ts": 'import "../file/read.ts"',
      "src/tools/file/read.test.ts": 'import "../shell/run.ts"',
    }),
  ).toEqual([])
})

it("accepts a known circle only while it is there", () => {
  const known = { full: {}, cycles: ["src/tools: file, patch, shell"] }
  expect(problemsOf(circle, known)).toEqual([])
  expect(problemsOf({}, known)).toEqual([
    'is not a circle any more: remove "src/tools: file, patch, shell" from known-folders.ts',
  ])
})
