import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import type { Embedder } from "../../src/store/memory/embedder.ts"
import { localEmbedder } from "../../src/store/memory/local-embedder.ts"
import type { MemoryStore } from "../../src/store/memory/memory-store.ts"
import { sqliteMemory } from "../../src/store/memory/sqlite-memory.ts"
import { unitVector } from "../../src/store/memory/vector-bytes.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"
import { notes, randomFrom } from "./notes.ts"

const entryCount = 50_000
/** Sentences that are really embedded; the others' vectors lie between two of theirs. */
const embeddedCount = 1_000
const queryCount = 50
const limit = 10

/** memory.search among many entries: how long it takes, and whether it finds the nearest. */
export async function searchMemory(): Promise<readonly BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-memory-bench-"))
  const model = localEmbedder()
  try {
    const sentences = notes(entryCount + queryCount)
    const entries = sentences.slice(0, entryCount)
    const queries = sentences.slice(entryCount)
    const vectors = await entryVectors(model, entries)
    const store = await sqliteMemory({
      file: join(directory, "memory.db"),
      embedding: { kind: "embedder", embedder: knowing(model, vectors) },
    })
    try {
      await fill(store, entries)
      return await measure(store, { queries, vectors, model })
    } finally {
      await store.close()
    }
  } finally {
    await model.close()
    await rm(directory, { recursive: true, force: true })
  }
}

type Vectors = ReadonlyMap<string, Float32Array>
const never = new AbortController().signal

/** Half an hour of embedding in some seconds: mixtures of real vectors, and noise. */
async function entryVectors(model: Embedder, entries: readonly string[]): Promise<Vectors> {
  const real: Float32Array[] = []
  while (real.length < embeddedCount) {
    real.push(...(await model.embed(entries.slice(real.length, real.length + 20), never)))
  }
  const random = randomFrom(11)
  const chosen = () => real[Math.floor(random() * real.length)] ?? new Float32Array()
  const mixed = (own: Float32Array) => {
    const other = chosen()
    const share = random() * 0.5
    const noise = () => 0.03 * (random() + random() + random() - 1.5)
    return own.map((value, at) => (1 - share) * value + share * (other[at] ?? 0) + noise())
  }
  return new Map(
    entries.map((text, index) => {
      const vector = real[index] ?? mixed(chosen())
      return [text, unitVector(vector) ?? vector]
    }),
  )
}

/** The real embedder, which knows the vectors of the entries beforehand. */
function knowing(model: Embedder, vectors: Vectors): Embedder {
  return {
    id: model.id,
    async embed(texts, signal) {
      const known = texts.map((text) => vectors.get(text)).filter((vector) => vector !== undefined)
      return known.length === texts.length ? known : model.embed(texts, signal)
    },
    close: async () => {},
  }
}

/** Through the store's own door, and until every vector is in. */
async function fill(store: MemoryStore, entries: readonly string[]): Promise<void> {
  for (const [index, content] of entries.entries()) {
    await store.write({ kind: "append", namespace: `about-${index % 20}`, content })
  }
  for (;;) {
    const { warnings } = await store.search({ query: "anything", limit: 1, mode: "vector" })
    if (warnings.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function measure(
  store: MemoryStore,
  by: { readonly queries: readonly string[]; readonly vectors: Vectors; readonly model: Embedder },
): Promise<readonly BenchRow[]> {
  const times: number[] = []
  let found = 0
  for (const query of by.queries) {
    const started = performance.now()
    await store.search({ query, limit, mode: "hybrid" })
    times.push(performance.now() - started)
    const { hits } = await store.search({ query, limit, mode: "vector" })
    const [vector = new Float32Array()] = await by.model.embed([query], never)
    const nearest = nearestTexts(vector, by.vectors)
    found += hits.filter(({ snippet }) => nearest.has(snippet)).length
  }
  const among = `${entryCount.toLocaleString("en")} entries (mixtures of ${embeddedCount} real embeddings)`
  return [
    {
      id: "memory-search",
      what: `memory.search, hybrid, of a new query with its embedding, among ${among} (ms)`,
      value: median(times.slice(10)),
      bar: 25,
      aim: 10,
      better: "lower",
    },
    {
      id: "memory-recall",
      what: `recall@${limit} of its vector part against brute force (share)`,
      value: found / (by.queries.length * limit),
      bar: 0.95,
      aim: 0.99,
      better: "higher",
    },
  ]
}

function nearestTexts(query: Float32Array, vectors: Vectors): ReadonlySet<string> {
  const all = [...vectors].map(([text, vector]) => {
    const likeness = vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0)
    return { text, likeness }
  })
  all.sort((a, b) => b.likeness - a.likeness)
  return new Set(all.slice(0, limit).map(({ text }) => text))
}
