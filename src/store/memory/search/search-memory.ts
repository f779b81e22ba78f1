import { ToolFailure } from "../../../contract/index.ts"
import { memoryLimits } from "../../limits.ts"
import type { SqliteDatabase, Transaction } from "../../sqlite/sqlite-database.ts"
import { namespaceNumber } from "../database/entries.ts"
import type {
  MatchedBy,
  MemoryAnswer,
  MemoryHit,
  MemoryQuestion,
} from "../database/memory-store.ts"
import { bestSnippet, searchKeywords } from "./search-keywords.ts"
import { type NearEntry, searchVectors } from "./search-vectors.ts"
import type { Meaning, VectorPart } from "./vector-part.ts"

const none: Meaning = { kind: "none", because: "" }

/** Looks by words and by meaning at once, and makes one list of both. */
export async function searchMemory(
  { database, vectors }: { readonly database: SqliteDatabase; readonly vectors: VectorPart },
  question: MemoryQuestion,
  signal: AbortSignal,
): Promise<MemoryAnswer> {
  const { mode, query } = question
  const meant = mode === "keyword" ? none : vectors.meaningOf(query, signal)
  // The words are looked up while the query is embedded in another thread.
  const words = mode === "vector" ? [] : await findWords(database, question, signal)
  const meaning = await meant
  if (mode === "vector" && meaning.kind === "none") {
    throw new ToolFailure({ kind: "unavailable", message: meaning.because })
  }
  return database.read((one) => {
    const near = meaning.kind === "vector" ? findNear(one, question, meaning) : []
    const fused = fuseRanks({
      ...(mode === "vector" ? {} : { keyword: words }),
      ...(meaning.kind === "vector" ? { vector: near.map(({ entry }) => entry) } : {}),
    })
    return {
      hits: hitsFrom(one, fused, { question, near }),
      warnings: warningsOf(question, meaning),
    }
  }, signal)
}

function findWords(
  database: SqliteDatabase,
  question: MemoryQuestion,
  signal: AbortSignal,
): Promise<readonly number[]> {
  return database.read((one) => {
    const namespace = chosenNamespace(one, question)
    const most = depthOf(question)
    return namespace === undefined ? [] : searchKeywords(one, question.query, { namespace, most })
  }, signal)
}

function findNear(
  transaction: Transaction,
  question: MemoryQuestion,
  meaning: Meaning & { readonly kind: "vector" },
): readonly NearEntry[] {
  const namespace = chosenNamespace(transaction, question)
  if (namespace === undefined) return []
  const { candidates: least, candidatesPerResult } = memoryLimits
  const candidates = Math.max(least, question.limit * candidatesPerResult)
  const { vector, embedder, index } = meaning
  const near = searchVectors(transaction, vector, { index, embedder, namespace, candidates })
  return near.slice(0, depthOf(question))
}

/** Null for all of them, undefined for one that does not exist. */
function chosenNamespace(
  transaction: Transaction,
  { namespace }: MemoryQuestion,
): number | null | undefined {
  if (namespace === undefined) return null
  return namespaceNumber(transaction, namespace) ?? undefined
}

/** Deeper than what is asked for: what is low in both lists may be high in the merged one. */
function depthOf({ limit }: MemoryQuestion): number {
  return limit * 3
}

function warningsOf(question: MemoryQuestion, meaning: Meaning): readonly string[] {
  if (question.mode === "keyword") return []
  return meaning.kind === "none" ? [`By keyword only. ${meaning.because}`] : meaning.warnings
}

function hitsFrom(
  transaction: Transaction,
  fused: readonly Fused[],
  from: { readonly question: MemoryQuestion; readonly near: readonly NearEntry[] },
): readonly MemoryHit[] {
  const nearOf = new Map(from.near.map((one) => [one.entry, one]))
  const hits: MemoryHit[] = []
  for (const { entry, score, matchedBy } of fused) {
    if (hits.length === from.question.limit) break
    const row = transaction.get(
      `SELECT id, name, content, updated_ms FROM entries
       JOIN namespaces ON namespaces.number = entries.namespace WHERE entries.number = ?`,
      entry,
    )
    // Removed since its words were found.
    if (!row) continue
    const content = String(row.content)
    const near = nearOf.get(entry)
    const snippet = near
      ? content.slice(near.first, near.beyond)
      : bestSnippet(content, from.question.query)
    hits.push({
      namespace: String(row.name),
      id: String(row.id),
      snippet,
      whole: snippet.length === content.length,
      score,
      similarity: near?.similarity ?? null,
      matchedBy,
      updatedMs: Number(row.updated_ms),
    })
  }
  return hits
}

interface Fused {
  readonly entry: number
  readonly score: number
  readonly matchedBy: readonly MatchedBy[]
}

/** Softens the first ranks, so that being found twice counts for more than being first once. */
const softening = 60

/**
 * Reciprocal rank fusion: lists whose scores can't be compared become one by their ranks. The score is
 * 1 for what is first in every list.
 */
function fuseRanks(
  lists: Readonly<Partial<Record<MatchedBy, readonly number[]>>>,
): readonly Fused[] {
  const used = Object.entries(lists) as [MatchedBy, readonly number[]][]
  const found = new Map<number, { score: number; matchedBy: MatchedBy[] }>()
  for (const [name, entries] of used) {
    for (const [rank, entry] of entries.entries()) {
      const one = found.get(entry) ?? { score: 0, matchedBy: [] }
      one.score += (softening + 1) / (softening + 1 + rank) / used.length
      one.matchedBy.push(name)
      found.set(entry, one)
    }
  }
  return [...found]
    .map(([entry, one]) => ({ entry, ...one }))
    .sort((a, b) => b.score - a.score || b.entry - a.entry)
}
