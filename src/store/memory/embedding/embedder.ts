/** Makes vectors of texts, so that texts of like meaning have vectors of like direction. */
export interface Embedder {
  /** Vectors of different embedders can't be compared: this tells them apart, also next year. */
  readonly id: string
  /** One vector for each text, all of one length; for a text without meaning it may be all zeros. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
  close(): Promise<void>
}

/** What a store has to embed with, or why it has nothing, as a sentence. */
export type Embedding =
  | { readonly kind: "embedder"; readonly embedder: Embedder }
  | { readonly kind: "none"; readonly because: string }
