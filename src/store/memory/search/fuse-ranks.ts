import type { MatchedBy } from "../database/memory-store.ts"

export interface Fused {
  readonly entry: number
  readonly score: number
  readonly matchedBy: readonly MatchedBy[]
}

/** Softens the first ranks, so that being found twice counts for more than being first once. */
const softening = 60

/**
 * Reciprocal rank fusion: lists whose scores can't be compared become one by their ranks. The score is
 * 1 for what is first in every list.
 */
export function fuseRanks(
  lists: Readonly<Partial<Record<MatchedBy, readonly number[]>>>,
): readonly Fused[] {
  const used = Object.entries(lists) as [MatchedBy, readonly number[]][]
  const found = new Map<number, { score: number; matchedBy: MatchedBy[] }>()
  for (const [name, entries] of used) {
    for (const [rank, entry] of entries.entries()) {
      const one = found.get(entry) ?? { score: 0, matchedBy: [] }
      one.score += (softening + 1) / (softening + 1 + rank) / used.length
      one.matchedBy.push(name)
      found.set(entry, one)
    }
  }
  return [...found]
    .map(([entry, one]) => ({ entry, ...one }))
    .sort((a, b) => b.score - a.score || b.entry - a.entry)
}
