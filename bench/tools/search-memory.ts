import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { addEntry } from "../../src/store/memory/database/entries.ts"
import { openMemoryDatabase } from "../../src/store/memory/database/memory-schema.ts"
import type { MemoryStore } from "../../src/store/memory/database/memory-store.ts"
import {
  registerEmbedder,
  storeVectors,
  takeBatch,
  unitVector,
} from "../../src/store/memory/database/vectors.ts"
import type { Embedder } from "../../src/store/memory/embedding/embedder.ts"
import { localEmbedder } from "../../src/store/memory/embedding/local-embedder.ts"
import { sqliteMemory } from "../../src/store/memory/sqlite-memory.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"
import { notes, randomFrom } from "./notes.ts"

const entryCount = 50_000
/** Sentences that are really embedded; the others' vectors lie between two of theirs. */
const embeddedCount = 500
const queryCount = 40
const limit = 10
const warmUp = 10

/** memory.search among many entries: how long it takes, and whether it finds the nearest. */
export async function searchMemory(): Promise<readonly BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-memory-bench-"))
  const model = localEmbedder()
  try {
    const sentences = notes(entryCount + queryCount)
    const entries = sentences.slice(0, entryCount)
    const queries = sentences.slice(entryCount)
    const vectors = await entryVectors(model, entries)
    const file = join(directory, "memory.db")
    await fill(file, model, vectors)
    const store = await sqliteMemory({ file, embedding: { kind: "embedder", embedder: model } })
    try {
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

/** What the store does for each entry, but in few transactions: 100,000 of them are minutes of disk. */
async function fill(file: string, model: Embedder, vectors: Vectors): Promise<void> {
  const database = await openMemoryDatabase(file)
  await database.write((one) => {
    const embedder = registerEmbedder(one, model.id)
    for (const [index, content] of [...vectors.keys()].entries()) {
      addEntry(one, { namespace: `about-${index % 20}`, content, nowMs: Date.now() })
    }
    for (;;) {
      const batch = takeBatch(one, embedder)
      if (batch.length === 0) return
      const vectorOf = (text: string) => vectors.get(text) ?? new Float32Array()
      storeVectors(
        one,
        embedder,
        batch.map((chunk) => ({ chunk, vector: vectorOf(chunk.text) })),
      )
    }
  })
  database.close()
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
      // The first ones load the model and read the file into memory.
      value: median(times.slice(warmUp)),
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
    let likeness = 0
    for (let at = 0; at < vector.length; at += 1) likeness += (vector[at] ?? 0) * (query[at] ?? 0)
    return { text, likeness }
  })
  all.sort((a, b) => b.likeness - a.likeness)
  return new Set(all.slice(0, limit).map(({ text }) => text))
}
