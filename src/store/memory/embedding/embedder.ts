import { packageProblem } from "../../../node/index.ts"
import { endpointEmbedder } from "./endpoint-embedder.ts"
import { localEmbedder, localPackages } from "./local-embedder.ts"

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

/** The embedder of a source; none, with what to install, where its packages are missing. */
export function chooseEmbedding(source: EmbeddingSource): Embedding {
  if (source.kind === "none") return source
  if (source.kind === "endpoint") return { kind: "embedder", embedder: endpointEmbedder(source) }
  const problem = packageProblem("Search by meaning", localPackages)
  if (problem === null) return { kind: "embedder", embedder: localEmbedder() }
  const otherwise = "Or name an endpoint as models.embeddings in toolkeep.yaml."
  return { kind: "none", because: `${problem} ${otherwise}` }
}
