import type { Transaction } from "./memory-database.ts"
import { signBits, vectorBytes } from "./vector-bytes.ts"

export interface NearEntry {
  readonly entry: number
  readonly similarity: number
  readonly first: number
  readonly beyond: number
}

/**
 * Entries whose meaning is nearest, the nearest first. All sign bits are compared, which costs a
 * hundredth of comparing the vectors; those of the most alike are then compared exactly.
 */
export function searchVectors(
  transaction: Transaction,
  vector: Float32Array,
  within: {
    readonly embedder: number
    readonly namespace: number | null
    readonly candidates: number
  },
): readonly NearEntry[] {
  const { embedder, namespace, candidates } = within
  const only = namespace === null ? "" : "AND namespace = ?5"
  const rows = transaction.all(
    `WITH alike AS MATERIALIZED (
       SELECT chunk FROM signs WHERE embedder = ?1 ${only}
       ORDER BY vec_distance_hamming(vec_bit(bits), vec_bit(?2)) LIMIT ?3
     )
     SELECT chunks.entry, chunks.first, chunks.beyond,
       1 - vec_distance_cosine(vectors.vector, ?4) AS similarity
     FROM alike
     JOIN vectors ON vectors.chunk = alike.chunk AND vectors.embedder = ?1
     JOIN chunks ON chunks.number = alike.chunk
     ORDER BY similarity DESC`,
    ...[embedder, signBits(vector), candidates, vectorBytes(vector)],
    ...(namespace === null ? [] : [namespace]),
  )
  return bestOfEach(rows)
}

/** A long entry has several vectors; its nearest speaks for it. */
function bestOfEach(rows: readonly Readonly<Record<string, unknown>>[]): readonly NearEntry[] {
  const best = new Map<number, NearEntry>()
  for (const row of rows) {
    const entry = Number(row.entry)
    if (best.has(entry)) continue
    const [similarity, first, beyond] = [row.similarity, row.first, row.beyond].map(Number)
    best.set(entry, { entry, similarity: similarity ?? 0, first: first ?? 0, beyond: beyond ?? 0 })
  }
  return [...best.values()]
}
