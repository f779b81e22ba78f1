import type { RouteAnswer } from "../../../src/api/index.ts"

export type Usage = RouteAnswer<"sandboxes.usage">

/** What is kept of what a sandbox used, as a line. */
export const mostPoints = 60

/** One thing that a sandbox uses, as it was from look to look. Null is a time of which nothing is known. */
export interface UsageLine {
  readonly about: "Processors" | "Memory" | "Disk" | "Processes"
  readonly points: readonly (number | null)[]
  readonly limit: number | null
  /** Why nothing is known of it. */
  readonly unknown: string | null
}

/** With what was seen now, and without the oldest where that is too much. */
export function withUsage(seen: readonly Usage[], now: Usage): readonly Usage[] {
  // One more than the points: time is counted between two.
  return [...seen, now].slice(-mostPoints - 1)
}

export function usageLines(seen: readonly Usage[]): readonly UsageLine[] {
  const last = seen.at(-1)
  if (!last) return []
  const measured = (name: "memory" | "disk" | "processes") =>
    seen.slice(-mostPoints).map((one) => one[name].used)
  return [
    { about: "Processors", ...factsOf(last.cpu), points: processorsUsed(seen) },
    { about: "Memory", ...factsOf(last.memory), points: measured("memory") },
    { about: "Disk", ...factsOf(last.disk), points: measured("disk") },
    { about: "Processes", ...factsOf(last.processes), points: measured("processes") },
  ]
}

function factsOf({ limit, unknown }: Usage["memory"]) {
  return { limit, unknown: unknown ?? null }
}

/** How many processors were busy from each look to the next. */
function processorsUsed(seen: readonly Usage[]): readonly (number | null)[] {
  return seen.slice(1).map(({ cpu, at_ms }, index) => {
    const before = seen[index]
    if (!before || cpu.used === null || before.cpu.used === null) return null
    // A sandbox that was started again counts from nothing.
    const used = cpu.used >= before.cpu.used ? cpu.used - before.cpu.used : cpu.used
    return used / Math.max(1, at_ms - before.at_ms)
  })
}

/** How wide and high a drawn line is, in its own units. */
export const drawing = { width: mostPoints - 1, height: 24 } as const

/** The line as an SVG path, the newest point at the right, and the highest at the top. */
export function linePath({ points, limit }: UsageLine): string {
  const known = points.filter((point) => point !== null)
  // Against the limit, unless so little is used that nobody would see it.
  const highest = Math.max(...known, 0)
  const top = limit !== null && highest > limit / 4 ? Math.max(limit, highest) : highest * 2 || 1
  let isDrawing = false
  const parts = points.map((point, index) => {
    const command = isDrawing ? "L" : "M"
    isDrawing = point !== null
    if (point === null) return ""
    const x = drawing.width - (points.length - 1 - index)
    const y = drawing.height * (1 - point / top)
    return `${command}${x} ${y.toFixed(2)}`
  })
  return parts.join("")
}

/** How much there is now, in words. */
export function lastText({ about, points, limit, unknown }: UsageLine): string {
  if (unknown !== null) return `not known, because ${unknown}`
  const last = points.at(-1) ?? null
  if (last === null) return "…"
  const text = (amount: number) => amountText(about, amount)
  return limit === null ? text(last) : `${text(last)} of ${text(limit)}`
}

function amountText(about: UsageLine["about"], amount: number): string {
  if (about === "Processes") return String(amount)
  if (about === "Processors") return amount.toFixed(amount < 10 && amount % 1 !== 0 ? 2 : 0)
  return bytesText(amount)
}

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"]

export function bytesText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const amount = bytes / 1024 ** step
  const digits = step === 0 || amount >= 100 || amount % 1 === 0 ? 0 : 1
  return `${amount.toFixed(digits)} ${units[step]}`
}
