import { memoryLimits } from "../../limits.ts"
import { searchableText } from "../database/searchable-text.ts"

/** What counts as part of a word; everything else separates words, also the index's own syntax. */
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/**
 * The words of a person's query, each as a phrase that the index understands and nothing more: what
 * would be an operator is a word, and quotes and signs are gone.
 */
export function keywordPhrases(query: string): readonly string[] {
  const phrases = new Set<string>()
  for (const [found] of query.normalize("NFKC").toLowerCase().matchAll(word)) {
    phrases.add(`"${searchableText(found).trim().replaceAll(/\s+/g, " ")}"`)
    if (phrases.size === memoryLimits.queryWords) break
  }
  return [...phrases]
}
