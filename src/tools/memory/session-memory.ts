import { join } from "node:path"
import { type EmbeddingSource, type MemoryStore, openMemory } from "../../store/index.ts"
import type { ToolParts } from "../tool-parts.ts"

/** The memory, opened by the first call that asks for it and closed with the session. */
export type OpenMemory = () => Promise<MemoryStore>

export function sessionMemory(parts: ToolParts): OpenMemory {
  let opening: Promise<MemoryStore> | null = null
  return () => {
    opening ??= open(parts).catch((error) => {
      // The next call tries again: what was wrong with the file may have been put right.
      opening = null
      throw error
    })
    return opening
  }
}

async function open(parts: ToolParts): Promise<MemoryStore> {
  const file = join(parts.home, "memory.db")
  const store = await openMemory({ file, embeddings: embeddingSource(parts) })
  parts.onClose(() => store.close())
  return store
}

function embeddingSource({ settings }: ToolParts): EmbeddingSource {
  const chosen = settings.models?.embeddings
  if (!chosen) return { kind: "local" }
  const { url, model, key_from: variable } = chosen
  if (variable === undefined) return { kind: "endpoint", url, model }
  const key = process.env[variable]
  if (key) return { kind: "endpoint", url, model, key }
  const because = `Set ${variable}, which models.embeddings in toolkeep.yaml takes its key from.`
  return { kind: "none", because }
}
