import { memoryLimits } from "../../limits.ts"
import type { Transaction } from "../../sqlite/sqlite-database.ts"

/** A piece of an entry that an embedder has not seen. */
export interface PendingChunk {
  readonly number: number
  readonly namespace: number
  readonly tries: number
  readonly text: string
}

/** The embedder's number in this file; all that is there is pending for one that is new. */
export function registerEmbedder(transaction: Transaction, id: string): number {
  transaction.run("INSERT OR IGNORE INTO embedders (id) VALUES (?)", id)
  return findEmbedder(transaction, id) ?? 0
}

export function findEmbedder(transaction: Transaction, id: string): number | null {
  return transaction.number("SELECT number FROM embedders WHERE id = ?", id)
}

export function countPending(transaction: Transaction, embedder: number): number {
  return transaction.number("SELECT count(*) FROM pending WHERE embedder = ?", embedder) ?? 0
}

/**
 * What one request embeds. A piece whose request failed comes after all others and alone, so that one
 * which can't be embedded holds up nothing else.
 */
export function takeBatch(transaction: Transaction, embedder: number): readonly PendingChunk[] {
  const rows = transaction.all(
    `SELECT chunks.number, chunks.namespace, pending.tries, first, beyond, content
     FROM pending JOIN chunks ON chunks.number = pending.chunk
     JOIN entries ON entries.number = chunks.entry
     WHERE embedder = ? ORDER BY pending.tries, pending.chunk LIMIT ?`,
    ...[embedder, memoryLimits.batchChunks],
  )
  const batch: PendingChunk[] = []
  let characters = 0
  for (const row of rows) {
    const text = String(row.content).slice(Number(row.first), Number(row.beyond))
    const [number = 0, namespace = 0, tries = 0] = [row.number, row.namespace, row.tries].map(
      Number,
    )
    characters += text.length
    const full = characters > memoryLimits.batchCharacters || tries > 0
    if (full && batch.length > 0) break
    batch.push({ number, namespace, tries, text })
  }
  return batch
}

/** Stores the vectors of a batch. What was removed meanwhile is no longer pending, and is left out. */
export function storeVectors(
  transaction: Transaction,
  embedder: number,
  made: readonly { readonly chunk: PendingChunk; readonly vector: Float32Array }[],
): void {
  for (const { chunk, vector } of made) {
    requireDimensions(transaction, embedder, vector.length)
    transaction.run(
      "UPDATE embedders SET dimensions = ? WHERE number = ? AND dimensions IS NULL",
      ...[vector.length, embedder],
    )
    const { changes } = transaction.run(
      "DELETE FROM pending WHERE chunk = ? AND embedder = ?",
      ...[chunk.number, embedder],
    )
    const unit = unitVector(vector)
    if (changes === 0 || unit === null) continue
    transaction.run(
      "INSERT INTO vectors (chunk, embedder, vector) VALUES (?, ?, ?)",
      ...[chunk.number, embedder, vectorBytes(unit)],
    )
    transaction.run(
      "INSERT INTO signs (embedder, namespace, chunk, bits) VALUES (?, ?, ?, ?)",
      ...[embedder, chunk.namespace, chunk.number, signBits(unit)],
    )
  }
}

export function postponeBatch(
  transaction: Transaction,
  embedder: number,
  batch: readonly PendingChunk[],
): void {
  for (const { number } of batch) {
    transaction.run(
      "UPDATE pending SET tries = tries + 1 WHERE chunk = ? AND embedder = ?",
      ...[number, embedder],
    )
  }
}

/** Vectors of different lengths can't be compared, so a model that changes its length is an error. */
export function requireDimensions(
  transaction: Transaction,
  embedder: number,
  dimensions: number,
): void {
  const row = transaction.get("SELECT id, dimensions FROM embedders WHERE number = ?", embedder)
  if (row?.dimensions == null || row.dimensions === dimensions) return
  throw new Error(
    `${row.id} made vectors of ${row.dimensions} numbers, and now makes ${dimensions}`,
  )
}

/** The vector with length 1, or null for one without a direction. */
export function unitVector(vector: Float32Array): Float32Array | null {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null
}

/** As SQLite stores it. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** One bit for each number: whether it is above zero. */
export function signBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8))
  for (const [index, value] of vector.entries()) {
    if (value > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return bits
}
