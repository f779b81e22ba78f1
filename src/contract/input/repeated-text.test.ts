import { describe, expect, it } from "vitest"
import { defineTool } from "../tool/define-tool.ts"
import { createInputCheck } from "./check-input.ts"

/** An item that is never right: each of its texts could be meant as an object or as a choice. */
const check = createInputCheck({
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        anyOf: [
          {
            type: "object",
            properties: { a: { enum: ["x", "y"] } },
            required: ["a"],
            additionalProperties: false,
          },
          { type: "array", items: { type: "integer" } },
          { enum: ["all", "none"] },
        ],
      },
    },
  },
  required: ["items"],
  additionalProperties: false,
})

/** CPU time of the process, the best of three. */
function cpuOf(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const started = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(started)
    return user + system
  })
  return Math.max(1, Math.min(...times))
}

describe("the same long text in many places", () => {
  it.each([
    ["blanks", (length: number) => " ".repeat(length)],
    ["blanks before a value", (length: number) => `${" ".repeat(length)}{}`],
    ["blanks after a value", (length: number) => `{}${" ".repeat(length)}`],
    ["a word", (length: number) => "x".repeat(length)],
  ])("costs no more for being long: %s", (_, textOf) => {
    const inputOf = (length: number) => {
      const text = textOf(length)
      // Made flat, which is not what is measured.
      text.charCodeAt(length - 1)
      return { items: Array.from({ length: 500 }, () => text) }
    }
    const [short, long] = [inputOf(4_000), inputOf(2_000_000)]
    expect(check(short)).toMatchObject({ ok: false })
    const ratio = cpuOf(() => check(long)) / cpuOf(() => check(short))
    expect(ratio).toBeLessThan(50)
  })

  it("parses no more JSON text in one call than a call may have", () => {
    const text = `{"a": ${JSON.stringify("z".repeat(1_000_000))}}`
    const parse = JSON.parse
    let parsed = 0
    JSON.parse = (given: string, ...rest) => {
      parsed += given.length
      return parse(given, ...rest)
    }
    try {
      expect(check({ items: Array.from({ length: 100 }, () => text) })).toMatchObject({ ok: false })
    } finally {
      JSON.parse = parse
    }
    expect(parsed).toBeGreaterThan(text.length)
    expect(parsed).toBeLessThanOrEqual(16 * 1024 * 1024)
  })

  it("refuses a number of very many digits at once", () => {
    const { check: checkNumber } = defineTool({
      name: "number.take",
      description: "Takes a number.",
      input: {
        type: "object",
        properties: { n: { type: "number" } },
        required: ["n"],
        additionalProperties: false,
      },
      run() {},
    })
    const inputOf = (length: number) => `{"n": 1${"0".repeat(length)}1e-${length}}`
    const [short, long] = [inputOf(100_000), inputOf(1_600_000)]
    const ratio = cpuOf(() => checkNumber(long)) / cpuOf(() => checkNumber(short))
    expect(ratio).toBeLessThan(80)
  })
})
