import { describe, expect, it } from "vitest"
import {
  bytesText,
  lastText,
  linePath,
  mostPoints,
  type Usage,
  usageLines,
  withUsage,
} from "./usage-lines.ts"

const usage = (atMs: number, cpuMs: number | null, memory = 1024 ** 2): Usage => ({
  at_ms: atMs,
  cpu: { used: cpuMs, limit: 2, ...(cpuMs === null && { unknown: "nobody counts it" }) },
  memory: { used: memory, limit: 512 * 1024 ** 2 },
  disk: { used: 0, limit: null },
  processes: { used: 3, limit: 64 },
})

const linesOf = (...seen: Usage[]) => {
  const [processors, memory, disk, processes] = usageLines(seen)
  if (!processors || !memory || !disk || !processes) throw new Error("a line is missing")
  return { processors, memory, disk, processes }
}

describe("what a sandbox uses", () => {
  it("X7: is drawn from look to look, with processors as time per time, also after a restart", () => {
    const { processors, memory } = linesOf(usage(0, 100), usage(2_000, 1_100), usage(4_000, 500))
    expect(processors.points).toEqual([0.5, 0.25])
    expect(lastText(processors)).toBe("0.25 of 2")
    expect(linePath(processors)).toBe("M58 12.00L59 18.00")
    expect(lastText(memory)).toBe("1 MiB of 512 MiB")
  })

  it("X7: says why it is not known, and leaves a gap where it was not", () => {
    const { processors, disk, processes } = linesOf(usage(0, 0), usage(1, null))
    expect(lastText(processors)).toBe("not known, because nobody counts it")
    expect(linePath(processors)).toBe("")
    expect(lastText(disk)).toBe("0 bytes")
    expect(lastText(processes)).toBe("3 of 64")
    const gap = { about: "Memory", points: [1, null, 1, 1], limit: null, unknown: null } as const
    expect(linePath(gap)).toBe("M56 12.00M58 12.00L59 12.00")
  })

  it("X7: holds the last sixty numbers", () => {
    let seen: readonly Usage[] = []
    for (let at = 0; at < 200; at += 1) seen = withUsage(seen, usage(at, at))
    for (const { points } of usageLines(seen)) expect(points).toHaveLength(mostPoints)
    expect(bytesText(1536)).toBe("1.5 KiB")
    expect(bytesText(10 * 1024 ** 3)).toBe("10 GiB")
  })
})
