import { memoryLimits } from "../../limits.ts"
import type { Transaction } from "../../sqlite/sqlite-database.ts"
import { searchableText, splitChunks } from "../database/indexed-text.ts"

interface Within {
  readonly namespace: number | null
  readonly most: number
}

/**
 * Entries that have words of the query, the best first by BM25. Ranking costs time for each entry that
 * matches, and "the" matches most: so the rarer words choose the entries, and words that are
 * everywhere do only when there are no others.
 */
export function searchKeywords(
  transaction: Transaction,
  query: string,
  within: Within,
): readonly number[] {
  const phrases = keywordPhrases(query)
  if (phrases.length === 0) return []
  const counted = phrases
    .map((phrase) => ({ phrase, entries: countEntriesWith(transaction, phrase) }))
    .sort((a, b) => a.entries - b.entries)
  const telling = counted.filter(({ entries }) => entries < memoryLimits.frequentEntries)
  if (telling.length === 0) return searchFrequent(transaction, phrases, within)
  const choosing = firstWithin(telling, memoryLimits.frequentEntries)
  const chosen = anyOf(choosing)
  const match = choosing.length < telling.length ? `(${chosen}) AND (${anyOf(telling)})` : chosen
  return find(transaction, { match, order: "rank" }, within)
}

interface Counted {
  readonly phrase: string
  readonly entries: number
}

/** All of them together may still be rare; else the newest entries are as good as any. */
function searchFrequent(
  transaction: Transaction,
  phrases: readonly string[],
  within: Within,
): readonly number[] {
  const all = phrases.join(" AND ")
  const rare = countEntriesWith(transaction, all) < memoryLimits.frequentEntries
  const best = find(transaction, { match: all, order: rare ? "rank" : "newest" }, within)
  if (best.length >= within.most) return best
  const others = find(transaction, { match: phrases.join(" OR "), order: "newest" }, within)
  return [...new Set([...best, ...others])].slice(0, within.most)
}

function countEntriesWith(transaction: Transaction, match: string): number {
  const count = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
  return transaction.number(count, match, memoryLimits.frequentEntries) ?? 0
}

/** The first of them that have at most this many entries together, and always one. */
function firstWithin(counted: readonly Counted[], most: number): readonly Counted[] {
  let sum = 0
  const beyond = counted.findIndex(({ entries }) => {
    sum += entries
    return sum > most
  })
  return beyond === -1 ? counted : counted.slice(0, Math.max(1, beyond))
}

function anyOf(counted: readonly Counted[]): string {
  return counted.map(({ phrase }) => phrase).join(" OR ")
}

function find(
  transaction: Transaction,
  by: { readonly match: string; readonly order: "rank" | "newest" },
  { namespace, most }: Within,
): readonly number[] {
  const order = by.order === "rank" ? "words.rank" : "words.rowid DESC"
  const rows =
    namespace === null
      ? transaction.all(
          `SELECT rowid AS entry FROM words WHERE words MATCH ? ORDER BY ${order} LIMIT ?`,
          ...[by.match, most],
        )
      : transaction.all(
          `SELECT words.rowid AS entry FROM words JOIN entries ON entries.number = words.rowid
           WHERE words MATCH ? AND entries.namespace = ? ORDER BY ${order} LIMIT ?`,
          ...[by.match, namespace, most],
        )
  return rows.map((row) => Number(row.entry))
}

/** What counts as part of a word; everything else separates words, also the index's own syntax. */
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/**
 * The words of a person's query, each as a phrase that the index understands and nothing more: what
 * would be an operator is a word, and quotes and signs are gone.
 */
function keywordPhrases(query: string): readonly string[] {
  const phrases = new Set<string>()
  for (const [found] of query.normalize("NFKC").toLowerCase().matchAll(word)) {
    phrases.add(`"${searchableText(found).trim().replaceAll(/\s+/g, " ")}"`)
    if (phrases.size === memoryLimits.queryWords) break
  }
  return [...phrases]
}

/** The piece of a text that has the most of the query's words. */
export function bestSnippet(content: string, query: string): string {
  const phrases = keywordPhrases(query).map((phrase) => fold(phrase.slice(1, -1)))
  let best = { snippet: "", found: -1 }
  for (const { first, beyond } of splitChunks(content)) {
    const snippet = content.slice(first, beyond)
    const text = fold(searchableText(snippet))
    const found = phrases.filter((phrase) => text.includes(phrase)).length
    if (found > best.found) best = { snippet, found }
  }
  return best.snippet
}

/** Without case and accents, as the index compares; and with single spaces, as phrases have. */
function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll(/\s+/g, " ")
}
