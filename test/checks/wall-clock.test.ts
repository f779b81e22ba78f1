import { describe, expect, it } from "vitest"
import { readRepositoryFile, repositoryFiles } from "../../scripts/repository.ts"
import { findWallClockAssertions } from "./wall-clock.ts"

const linesOf = (source: string) =>
  findWallClockAssertions("some.test.ts", source).map((one) => one.split(":")[1])

describe("the clock check", () => {
  it("finds no test in this repository that fails on a slow machine", async () => {
    const [beside, across] = await Promise.all([
      repositoryFiles("src", ".test.ts"),
      repositoryFiles("test", ".ts"),
    ])
    const files = [...beside, ...across].filter((file) => file !== "test/checks/wall-clock.test.ts")
    expect(files.length).toBeGreaterThan(100)
    const found = await Promise.all(
      files.map(async (file) => findWallClockAssertions(file, await readRepositoryFile(file))),
    )
    expect(found.flat()).toEqual([])
  })

  it.each([
    ["a difference", "expect(performance.now() - started).toBeLessThan(5_000)"],
    ["the time of day", "expect(Date.now() - started).toBeLessThanOrEqual(59_999)"],
    ["a limit", "expect(performance.now() - started).toBeLessThan(limits.graceMs)"],
    ["a sum", "expect(performance.now() - started).toBeLessThan(200 + 2_000)"],
    ["a message", 'expect(Date.now() - started, "why").toBeLessThan(2_000)'],
  ])("finds %s", (_, source) => {
    expect(linesOf(source)).toEqual(["1"])
  })

  it("finds times that went through variables", () => {
    const source = `
      let last = performance.now()
      let longest = 0
      setInterval(() => { longest = Math.max(longest, performance.now() - last) }, 10)
      const took = longest / 2
      expect(took).toBeLessThan(3_000)`
    expect(linesOf(source)).toEqual(["6"])
  })

  it("leaves a minute, lower bounds, other numbers and ratios alone", () => {
    const source = `
      const started = performance.now()
      expect(performance.now() - started).toBeLessThan(60_000)
      expect(performance.now() - started).toBeGreaterThan(100)
      expect(bytes.length).toBeLessThan(100)
      expect(cpu).toBeLessThan((performance.now() - started) / 2)`
    expect(linesOf(source)).toEqual([])
  })
})
