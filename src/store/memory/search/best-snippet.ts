import { searchableText } from "../database/searchable-text.ts"
import { splitChunks } from "../database/split-chunks.ts"
import { keywordPhrases } from "./keyword-query.ts"

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
