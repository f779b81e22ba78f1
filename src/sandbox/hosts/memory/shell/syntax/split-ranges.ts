import type { TransformPlugin } from "just-bash"
import { visitNodes } from "./visit-nodes.ts"

/** The shell silently leaves out what a range has beyond this. */
const longestRange = 10_000
/** Beyond this it refuses with an error. */
const mostElements = 100_000

interface Range {
  readonly type: "Range"
  readonly start: number
  readonly end: number
  readonly step?: number
}

/** Makes `{1..20000}` into `{1..10000}` and `{10001..20000}` side by side, which the shell expands whole. */
export const splitRanges: TransformPlugin = {
  name: "split-ranges",
  transform({ ast }) {
    visitNodes(ast, (node) => {
      if (isBraceExpansion(node)) node.items = node.items.flatMap(split)
    })
    return { ast }
  },
}

function isBraceExpansion(node: object): node is { items: unknown[] } {
  return "type" in node && node.type === "BraceExpansion" && "items" in node
}

function split(item: unknown): unknown[] {
  if (!isRange(item)) return [item]
  const step = Math.abs(item.step ?? 1) || 1
  const whole = Math.floor(Math.abs(item.end - item.start) / step) + 1
  const count = Math.min(whole, mostElements + 1)
  if (count <= longestRange) return [item]
  const direction = item.end >= item.start ? step : -step
  const parts: Range[] = []
  for (let done = 0; done < count; done += longestRange) {
    const start = item.start + done * direction
    const last = Math.min(count - 1, done + longestRange - 1)
    parts.push({ ...item, start, end: item.start + last * direction })
  }
  return parts
}

function isRange(item: unknown): item is Range {
  if (typeof item !== "object" || item === null) return false
  const range = item as Partial<Range>
  return range.type === "Range" && typeof range.start === "number" && typeof range.end === "number"
}
