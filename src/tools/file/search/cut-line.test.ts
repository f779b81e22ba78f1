import { expect, it } from "vitest"
import { searchLimits } from "../../limits.ts"
import { cutLine } from "./describe-matches.ts"

it("O34: a long line keeps the part around what matched", () => {
  const line = `${"a".repeat(5_000)}needle${"b".repeat(5_000)}`
  const cut = cutLine(line, "needle")
  expect(cut).toMatch(/^\[\.\.\.\] a+needleb+ \[\.\.\.\]$/)
  expect(cut.length).toBe(searchLimits.lineCharacters + 12)
})

it("O34: a cut never leaves half of a character", () => {
  for (const start of ["", "x"]) {
    const cut = cutLine(`${start}${"😀".repeat(2_000)}`, "nowhere")
    expect(cut.isWellFormed()).toBe(true)
  }
})

it("O34: a line that fits is left alone", () => {
  const line = "x".repeat(searchLimits.lineCharacters)
  expect(cutLine(line)).toBe(line)
})
