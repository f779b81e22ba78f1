import { memoryLimits } from "../../limits.ts"

/** A piece of a text: where it starts, and the first position after it. */
export interface Chunk {
  readonly first: number
  readonly beyond: number
}

/** Where a text is best cut, the best first; each is followed by what may start the next piece. */
const seams = [/\n\s*\n/g, /[.!?。！？]["')\]]*\s+|[。！？]|\n/g, /\s+/g]

/**
 * Cuts a text into pieces that are short enough to have one meaning: between paragraphs, else between
 * sentences, else between words, else anywhere but inside a character. Together they are the text.
 */
export function splitChunks(text: string, most: number = memoryLimits.chunkCharacters): Chunk[] {
  const chunks: Chunk[] = []
  let first = 0
  while (text.length - first > most) {
    const beyond = first + lengthOfNext(text.slice(first, first + most))
    chunks.push({ first, beyond })
    first = beyond
  }
  if (first < text.length) chunks.push({ first, beyond: text.length })
  return chunks
}

function lengthOfNext(window: string): number {
  for (const seam of seams) {
    const ends = [...window.matchAll(seam)].map((match) => match.index + match[0].length)
    const last = ends.findLast((end) => end > window.length / 3)
    if (last !== undefined) return last
  }
  const splitsPair = /[\uD800-\uDBFF]$/.test(window)
  return splitsPair ? window.length - 1 : window.length
}

/**
 * Scripts that put no spaces between words. Their characters are words of their own here, and what a
 * query has of them is looked for as a phrase: so every part of such a text is found.
 */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

/** A text as the index of words takes it. */
export function searchableText(text: string): string {
  return text.normalize("NFKC").replaceAll("\0", " ").replace(unspaced, " $& ")
}
