import type { MemoryStore } from "./database/memory-store.ts"

/** Where a memory is, and what makes vectors for it. */
export interface MemoryOptions {
  readonly file: string
  readonly embeddings: EmbeddingSource
  readonly signal?: AbortSignal | undefined
}

export type EmbeddingSource =
  /** A model on this machine, where its packages are installed. */
  | { readonly kind: "local" }
  /** An OpenAI-compatible endpoint; `url` goes up to its version. */
  | {
      readonly kind: "endpoint"
      readonly url: string
      readonly model: string
      readonly key?: string | undefined
    }
  /** Nothing; the sentence says what to do about it. */
  | { readonly kind: "none"; readonly because: string }

/** Opens a memory, and makes its file when there is none. What it needs is loaded only here. */
export async function openMemory(options: MemoryOptions): Promise<MemoryStore> {
  const { file, embeddings, signal } = options
  const [{ sqliteMemory }, { chooseEmbedding }] = await Promise.all([
    import("./sqlite-memory.ts"),
    import("./embedding/choose-embedding.ts"),
  ])
  return sqliteMemory({ file, embedding: chooseEmbedding(embeddings), signal })
}
