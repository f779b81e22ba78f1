import { withTimeout } from "../../../kit/index.ts"
import { memoryLimits } from "../../limits.ts"
import type { SqliteDatabase } from "../../sqlite/sqlite-database.ts"
import {
  countPending,
  findEmbedder,
  postponeBatch,
  registerEmbedder,
  storeVectors,
  takeBatch,
} from "../database/vectors.ts"
import type { Embedder } from "./embedder.ts"

/**
 * Embeds, apart from any call, what the file says is pending. It may end at any moment, also between
 * a write and its vector: the file remembers, and the next process that looks goes on.
 */
export class EmbeddingQueue {
  readonly #database: SqliteDatabase
  readonly #embedder: Embedder
  readonly #closed = new AbortController()
  #number: Promise<number> | null = null
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null

  constructor(database: SqliteDatabase, embedder: Embedder) {
    this.#database = database
    this.#embedder = embedder
  }

  /** The embedder's number in the file. */
  number(): Promise<number> {
    this.#number ??= this.#findNumber().catch((error) => {
      this.#number = null
      throw error
    })
    return this.#number
  }

  /** Something was written: starts soon, unless this process is about to end. */
  wake(): void {
    if (this.#timer || this.#running || this.#closed.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      // What goes wrong here is tried again by the next search, which counts what is pending.
      this.#run().catch(() => {})
    }, memoryLimits.embedAfterMs)
    this.#timer.unref()
  }

  /** Waits, a little, until nothing is pending. Resolves with how many pieces still are. */
  async settle(signal: AbortSignal): Promise<number> {
    const number = await this.number()
    const pending = () => this.#database.read((one) => countPending(one, number), signal)
    const count = await pending()
    if (count === 0) return 0
    const work = this.#run().catch(() => {})
    if (count > memoryLimits.settleChunks) return count
    await withTimeout(work, memoryLimits.settleMs, { otherwise: () => {}, signal })
    return pending()
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#closed.abort()
    await this.#running?.catch(() => {})
  }

  async #findNumber(): Promise<number> {
    const { id } = this.#embedder
    const known = await this.#database.read((one) => findEmbedder(one, id))
    return known ?? this.#database.write((one) => registerEmbedder(one, id))
  }

  #run(): Promise<void> {
    this.#running ??= this.#embedAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #embedAll(): Promise<void> {
    const { signal } = this.#closed
    const embedder = await this.number()
    for (;;) {
      const batch = await this.#database.read((one) => takeBatch(one, embedder), signal)
      if (batch.length === 0) return
      try {
        const texts = batch.map(({ text }) => text)
        const vectors = await this.#embedder.embed(texts, signal)
        const made = batch.map((chunk, index) => ({ chunk, vector: vectorAt(vectors, index) }))
        await this.#database.write((one) => storeVectors(one, embedder, made), { signal })
      } catch (error) {
        signal.throwIfAborted()
        await this.#database.write((one) => postponeBatch(one, embedder, batch), { signal })
        throw error
      }
    }
  }
}

function vectorAt(vectors: readonly Float32Array[], index: number): Float32Array {
  const vector = vectors[index]
  if (vector) return vector
  throw new Error(`the embedder made only ${vectors.length} vectors`)
}
