import type { MemoryStore } from "./database/memory-store.ts"
import type { EmbeddingSource } from "./embedding/embedder.ts"

/** Where a memory is, and what makes vectors for it. */
export interface MemoryOptions {
  readonly file: string
  readonly embeddings: EmbeddingSource
  readonly signal?: AbortSignal | undefined
}

/** Opens a memory, and creates its file if missing. What it needs is loaded only here. */
export async function openMemory({
  file,
  embeddings,
  signal,
}: MemoryOptions): Promise<MemoryStore> {
  const { sqliteMemory, chooseEmbedding } = await import("./sqlite-memory.ts")
  return sqliteMemory({ file, embedding: chooseEmbedding(embeddings), signal })
}
