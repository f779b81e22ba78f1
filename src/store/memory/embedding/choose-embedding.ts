import { createRequire } from "node:module"
import type { EmbeddingSource } from "../open-memory.ts"
import type { Embedding } from "./embedder.ts"
import { endpointEmbedder } from "./endpoint-embedder.ts"
import { localEmbedder, localPackages } from "./local-embedder.ts"

/** The embedder of a source; none, with what to install, where its packages are missing. */
export function chooseEmbedding(source: EmbeddingSource): Embedding {
  if (source.kind === "none") return source
  if (source.kind === "endpoint") return { kind: "embedder", embedder: endpointEmbedder(source) }
  const absent = localPackages.filter((name) => !isInstalled(name))
  if (absent.length === 0) return { kind: "embedder", embedder: localEmbedder() }
  return {
    kind: "none",
    because:
      `Search by meaning needs ${absent.join(" and ")}: run \`npm install ${absent.join(" ")}\`, ` +
      "or name an endpoint as models.embeddings in toolkeep.yaml.",
  }
}

const { resolve } = createRequire(import.meta.url)

function isInstalled(name: string): boolean {
  try {
    resolve(name)
    return true
  } catch {
    return false
  }
}
