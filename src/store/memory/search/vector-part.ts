import { errorText } from "../../../kit/index.ts"
import { packageProblem } from "../../../node/index.ts"
import { memoryLimits } from "../../limits.ts"
import type { SqliteDatabase } from "../../sqlite/sqlite-database.ts"
import { requireDimensions, unitVector } from "../database/vectors.ts"
import type { Embedder, Embedding } from "../embedding/embedder.ts"
import { EmbeddingQueue } from "../embedding/embedding-queue.ts"
import { SignIndex } from "./sign-index.ts"

/** What a query means, for a search; or why that is not known. */
export type Meaning =
  | {
      readonly kind: "vector"
      readonly vector: Float32Array
      readonly embedder: number
      readonly index: SignIndex
      readonly warnings: readonly string[]
    }
  | { readonly kind: "none"; readonly because: string }

/** The vectors of a store: made in the background, and of a query at once. */
export interface VectorPart {
  wake(): void
  /** Never rejects but for the signal: a search without vectors is still a search. */
  meaningOf(query: string, signal: AbortSignal): Promise<Meaning>
  close(): Promise<void>
}

/** Vectors with what there is, or none and the reason. */
export async function openVectorPart(
  database: SqliteDatabase,
  embedding: Embedding,
): Promise<VectorPart> {
  if (embedding.kind === "none") return noVectors(embedding.because)
  const problem = await loadExtension(database)
  return problem === null ? vectorsOf(database, embedding.embedder) : noVectors(problem)
}

function noVectors(because: string): VectorPart {
  return {
    wake: () => {},
    meaningOf: async () => ({ kind: "none", because }),
    close: async () => {},
  }
}

async function loadExtension(database: SqliteDatabase): Promise<string | null> {
  const problem = packageProblem("Search by meaning", ["sqlite-vec"])
  if (problem !== null) return problem
  try {
    const { getLoadablePath } = await import("sqlite-vec")
    database.load(getLoadablePath())
    return null
  } catch (error) {
    return `Search by meaning can't load sqlite-vec: ${errorText(error)}`
  }
}

function vectorsOf(database: SqliteDatabase, embedder: Embedder): VectorPart {
  const queue = new EmbeddingQueue(database, embedder)
  let known: SignIndex | null = null

  async function prepare(signal: AbortSignal) {
    const number = await queue.number()
    known ??= new SignIndex(number)
    const index = known
    await database.read((one) => index.warm(one), signal)
    return { number, index }
  }

  async function meaningOf(query: string, signal: AbortSignal): Promise<Meaning> {
    try {
      const asked = query.slice(0, memoryLimits.embeddedCharacters).toWellFormed()
      // Started before anything is awaited: the caller goes on with work that leaves it no moment.
      const [vectors, { number, index }] = await Promise.all([
        embedder.embed([asked], signal),
        prepare(signal),
      ])
      // Only now, because a model that has to be loaded first would use up the time for this.
      const pending = await queue.settle(signal)
      const vector = unitVector(vectors[0] ?? new Float32Array())
      if (vector === null) return { kind: "none", because: "The query has no words to compare." }
      await database.read((one) => requireDimensions(one, number, vector.length), signal)
      const warnings =
        pending === 0
          ? []
          : [`${pending} recent pieces of memory are so far found by keyword only.`]
      return { kind: "vector", vector, embedder: number, index, warnings }
    } catch (error) {
      signal.throwIfAborted()
      const reason = errorText(error).replace(/\.?$/, ".")
      return { kind: "none", because: `Search by meaning failed: ${reason}` }
    }
  }

  return { wake: () => queue.wake(), meaningOf, close: () => queue.close() }
}
