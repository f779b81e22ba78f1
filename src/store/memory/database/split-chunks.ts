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
