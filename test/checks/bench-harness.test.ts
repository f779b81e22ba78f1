import { describe, expect, it } from "vitest"
import type { BenchRow } from "../../bench/harness/bench-row.ts"
import { measureTime, measureTimeRatio, median } from "../../bench/harness/measure.ts"
import { rowsAsJson, rowsAsTable } from "../../bench/harness/print-rows.ts"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "./run-command.ts"

const rows: readonly BenchRow[] = [
  { id: "start", what: "ratio to an empty start", value: 3.1234, bar: 4, aim: 3, better: "lower" },
  { id: "rate", what: "calls a second", value: 90_000, bar: 50_000, aim: 80_000, better: "higher" },
  { id: "slow", what: "ms a call", value: 6, bar: 5, aim: 1, better: "lower" },
]

describe("bench rows", () => {
  it("pass when they reach their bar", () => {
    const { better: _, ...first } = rows[0] as BenchRow
    const parsed = JSON.parse(rowsAsJson(rows))
    expect(parsed[0]).toEqual({ ...first, pass: true })
    expect(parsed.map((row: { pass: boolean }) => row.pass)).toEqual([true, true, false])
  })

  it("read as a table", () => {
    expect(rowsAsTable(rows).split("\n")).toEqual([
      "        value   bar       aim       id     what",
      "bar     3.12    ≤ 4       ≤ 3       start  ratio to an empty start",
      "aim     90,000  ≥ 50,000  ≥ 80,000  rate   calls a second",
      "FAILED  6       ≤ 5       ≤ 1       slow   ms a call",
    ])
  })
})

describe("measuring", () => {
  // A clock of the test's own: only the work moves it on.
  let clock = 0
  const now = () => clock
  const takes = (milliseconds: number) => () => {
    clock += milliseconds
  }

  it("takes the middle value", () => {
    expect(median([5, 1, 3])).toBe(3)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  it("gives the time of one run, of a promise too", async () => {
    const options = { rounds: 3, roundMs: 4, now }
    expect(await measureTime(takes(1), options)).toBe(1)
    const later = async () => {
      await Promise.resolve()
      clock += 5
    }
    expect(await measureTime(later, options)).toBe(5)
  })

  it("goes by this machine's clock", async () => {
    const sleep = () => new Promise((resolve) => setTimeout(resolve, 5))
    expect(await measureTime(sleep, { rounds: 3, roundMs: 4 })).toBeGreaterThan(4)
  })

  it("gives the ratio of two times, whatever one round in between took", async () => {
    let runs = 0
    const disturbed = () => {
      runs += 1
      clock += runs === 20 ? 1_000 : 1
    }
    expect(await measureTimeRatio(disturbed, takes(0.25), { rounds: 5, roundMs: 4, now })).toBe(4)
  })
})

describe("npm run bench", () => {
  it.each(["no-such-suite", "--no-such-flag"])("says what is wrong with %s", async (argument) => {
    const result = await runCommand(`node bench/main.ts ${argument}`, { cwd: repositoryRoot })
    expect(result).toEqual({ exitCode: 2, output: expect.stringContaining(argument) })
    expect(result.output).toContain("usage: npm run bench -- [suite ...] [--json]")
  })
})
