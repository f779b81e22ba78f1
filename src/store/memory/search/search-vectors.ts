import type { Transaction } from "../../sqlite/sqlite-database.ts"
import { signBits, vectorBytes } from "../database/vectors.ts"
import type { SignIndex } from "./sign-index.ts"

export interface NearEntry {
  readonly entry: number
  readonly similarity: number
  readonly first: number
  readonly beyond: number
}

interface Within {
  readonly index: SignIndex
  readonly embedder: number
  readonly namespace: number | null
  readonly candidates: number
}

/**
 * Entries whose meaning is nearest, the nearest first. All sign bits are compared, which costs a
 * hundredth of comparing the vectors; those of the most alike are then compared exactly.
 */
export function searchVectors(
  transaction: Transaction,
  vector: Float32Array,
  within: Within,
): readonly NearEntry[] {
  const { index, embedder, namespace, candidates } = within
  const bits = signBits(vector)
  const rows = index.rows(transaction, bits.length)
  const chunks =
    rows === null
      ? alikeInFile(transaction, bits, within)
      : rows.nearest(bits, { namespace, most: candidates })
  return bestOfEach(compareExactly(transaction, vector, { embedder, chunks }))
}

function alikeInFile(
  transaction: Transaction,
  bits: Uint8Array,
  { embedder, namespace, candidates }: Within,
): readonly number[] {
  const only = namespace === null ? "" : "AND namespace = ?4"
  const rows = transaction.all(
    `SELECT chunk FROM signs WHERE embedder = ?1 ${only}
     ORDER BY vec_distance_hamming(vec_bit(bits), vec_bit(?2)) LIMIT ?3`,
    ...[embedder, bits, candidates],
    ...(namespace === null ? [] : [namespace]),
  )
  return rows.map(({ chunk }) => Number(chunk))
}

/** Those of the chunks that are in the file, the nearest first. */
function compareExactly(
  transaction: Transaction,
  vector: Float32Array,
  { embedder, chunks }: { readonly embedder: number; readonly chunks: readonly number[] },
): readonly Row[] {
  return transaction.all(
    `SELECT chunk, entry, first, beyond, 1 - vec_distance_cosine(vector, ?3) AS similarity
     FROM json_each(?2) AS alike
     CROSS JOIN vectors ON vectors.chunk = alike.value AND vectors.embedder = ?1
     CROSS JOIN chunks ON chunks.number = alike.value
     ORDER BY similarity DESC`,
    ...[embedder, JSON.stringify(chunks), vectorBytes(vector)],
  )
}

type Row = Readonly<Record<string, unknown>>

/** A long entry has several vectors; its nearest speaks for it. */
function bestOfEach(rows: readonly Row[]): readonly NearEntry[] {
  const best = new Map<number, NearEntry>()
  for (const row of rows) {
    const entry = Number(row.entry)
    if (best.has(entry)) continue
    const [similarity, first, beyond] = [row.similarity, row.first, row.beyond].map(Number)
    best.set(entry, { entry, similarity: similarity ?? 0, first: first ?? 0, beyond: beyond ?? 0 })
  }
  return [...best.values()]
}
