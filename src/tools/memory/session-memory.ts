import { join } from "node:path"
import { sha256 } from "../../node/index.ts"
import { type EmbeddingSource, type MemoryStore, openMemory } from "../../store/index.ts"
import type { ToolDeps } from "../tool-deps.ts"

/** The memory, opened by the first call that asks for it and closed with the session. */
export type OpenMemory = () => Promise<MemoryStore>

export function sessionMemory(parts: ToolDeps): OpenMemory {
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

async function open(parts: ToolDeps): Promise<MemoryStore> {
  const store = await openMemory({ file: fileOf(parts), embeddings: embeddingSource(parts) })
  parts.onClose(() => store.close())
  return store
}

/** A name can be anything, also something secret, so only its digest is on the disk. */
function fileOf({ home, memory, settings }: ToolDeps): string {
  if (memory === undefined || settings.memory?.shared) return join(home, "memory.db")
  return join(home, "memory", `${sha256(memory)}.db`)
}

function embeddingSource({ settings }: ToolDeps): EmbeddingSource {
  const chosen = settings.models?.embeddings
  if (!chosen) return { kind: "local" }
  const { url, model, key_from: variable } = chosen
  if (variable === undefined) return { kind: "endpoint", url, model }
  const key = process.env[variable]
  if (key) return { kind: "endpoint", url, model, key }
  const because = `Set ${variable}, which models.embeddings in toolkeep.yaml takes its key from.`
  return { kind: "none", because }
}
