import { ToolFailure } from "../../contract/index.ts"
import { type Clock, nearest, systemClock } from "../../kit/index.ts"
import { memoryLimits } from "../limits.ts"
import type { Transaction } from "../sqlite/sqlite-database.ts"
import {
  addEntry,
  changeEntry,
  countEntries,
  findEntry,
  listNamespaces,
  readPage,
  removeEntries,
} from "./database/entries.ts"
import { openMemoryDatabase } from "./database/memory-schema.ts"
import type { MemoryStore, MemoryWrite, WrittenEntry } from "./database/memory-store.ts"
import { chooseEmbedding, type Embedding } from "./embedding/embedder.ts"
import { searchMemory } from "./search/search-memory.ts"
import { openVectorPart } from "./search/vector-part.ts"

export { chooseEmbedding }

export interface SqliteMemoryOptions {
  readonly file: string
  readonly embedding: Embedding
  readonly clock?: Clock | undefined
  readonly signal?: AbortSignal | undefined
}

/** A memory in one SQLite file. It owns the embedder from now on. */
export async function sqliteMemory(options: SqliteMemoryOptions): Promise<MemoryStore> {
  const { embedding, clock = systemClock } = options
  const database = await openMemoryDatabase(options.file, options.signal)
  const vectors = await openVectorPart(database, embedding)
  return {
    async write(write, { signal } = {}) {
      const nowMs = clock.now()
      const written = await database.write((one) => applyWrite(one, write, nowMs), { signal })
      vectors.wake()
      return written
    },
    read: (namespace, page, { signal } = {}) =>
      database.read((one) => readPage(one, namespace, page), signal),
    find: (namespace, id, { signal } = {}) =>
      database.read((one) => findEntry(one, namespace, id), signal),
    namespaces: (prefix = "", { signal } = {}) =>
      database.read((one) => listNamespaces(one, prefix), signal),
    remove: (namespace, id, { signal } = {}) =>
      database.write((one) => removeEntries(one, namespace, id), { signal }),
    search: (question, { signal } = {}) =>
      searchMemory({ database, vectors }, question, signal ?? new AbortController().signal),
    async close() {
      await vectors.close()
      if (embedding.kind === "embedder") await embedding.embedder.close()
      database.close()
    },
  }
}

function applyWrite(transaction: Transaction, write: MemoryWrite, nowMs: number): WrittenEntry {
  const { namespace, content } = write
  const entry = { namespace, content, nowMs }
  const counted = (id: string, replaced: number) => ({
    id,
    replaced,
    entryCount: countEntries(transaction, namespace),
  })
  switch (write.kind) {
    case "append":
      return counted(addEntry(transaction, entry), 0)
    case "replace-all": {
      const replaced = removeEntries(transaction, namespace)
      return counted(addEntry(transaction, entry), replaced)
    }
    case "replace-entry":
      if (!changeEntry(transaction, write.id, entry)) throw noSuchEntry(transaction, write)
      return counted(write.id, 1)
  }
}

function noSuchEntry(
  transaction: Transaction,
  { namespace, id }: { readonly namespace: string; readonly id: string },
): ToolFailure {
  const page = readPage(transaction, namespace, {
    offset: 0,
    limit: memoryLimits.entriesShownMost,
  })
  const near = nearest(id, page?.entries.map((entry) => entry.id) ?? [])
  const hint = near === null ? "Read the namespace for its ids." : `Did you mean ${near}?`
  return new ToolFailure({
    kind: "not_found",
    message: `${JSON.stringify(namespace)} has no entry ${JSON.stringify(id)}. ${hint}`,
    field: "id",
  })
}
