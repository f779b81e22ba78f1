import { limits } from "../../../contract/index.ts"

export type Expansion =
  | { readonly ok: true; readonly patterns: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/** The plain patterns that "src/*.{ts,js}" stands for. Braces may stand in each other. */
export function expandBraces(pattern: string): Expansion {
  const done: string[] = []
  const waiting = [pattern]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const group = firstGroup(next)
    if (group === "unclosed") return { ok: false, problem: 'it has a "{" without its "}"' }
    if (group === null) done.push(next)
    else waiting.push(...expandGroup(next, group).toReversed())
    if (done.length + waiting.length > limits.file.patternAlternatives) {
      return { ok: false, problem: "its braces stand for too many patterns" }
    }
  }
  return { ok: true, patterns: done }
}

interface Group {
  readonly open: number
  readonly commas: readonly number[]
  readonly close: number
}

function firstGroup(pattern: string): Group | "unclosed" | null {
  const open = findUnescaped(pattern, "{", 0)
  if (open === -1) return null
  const commas: number[] = []
  let depth = 0
  for (let at = open; at < pattern.length; at += 1) {
    const character = pattern[at]
    if (character === "\\") at += 1
    else if (character === "{") depth += 1
    else if (character === "," && depth === 1) commas.push(at)
    else if (character === "}" && --depth === 0) return { open, commas, close: at }
  }
  return "unclosed"
}

function findUnescaped(pattern: string, wanted: string, from: number): number {
  for (let at = from; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1
    else if (pattern[at] === wanted) return at
  }
  return -1
}

function expandGroup(pattern: string, { open, commas, close }: Group): readonly string[] {
  const cuts = [open, ...commas, close]
  const before = pattern.slice(0, open)
  const after = pattern.slice(close + 1)
  return cuts.slice(1).map((cut, index) => {
    const from = (cuts[index] ?? open) + 1
    return `${before}${pattern.slice(from, cut)}${after}`
  })
}
