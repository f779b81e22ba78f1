import { nearest } from "../../kit/index.ts"
import { toolSearchLimits } from "../limits.ts"

/** The words that can be found. */
export interface Vocabulary {
  /** Those that begin with this one, for words that are only begun. */
  longer(word: string): readonly string[]
  /** The one that a misspelt word was most likely meant to be. */
  nearest(word: string): string | null
}

const shortestPrefix = 3
const shortestTypo = 4

export function createVocabulary(words: Iterable<string>): Vocabulary {
  const sorted = [...words].sort()
  const letters = Uint32Array.from(sorted, lettersOf)

  function longer(word: string): readonly string[] {
    if (word.length < shortestPrefix) return []
    const found: string[] = []
    for (let at = firstAfter(sorted, word); found.length < toolSearchLimits.prefixWords; at += 1) {
      const candidate = sorted[at]
      if (!candidate?.startsWith(word)) break
      found.push(candidate)
    }
    return found
  }

  /** Each edit changes at most two of the letters that a word has, so most words need no measuring. */
  function nearestOf(word: string): string | null {
    if (word.length < shortestTypo) return null
    const own = lettersOf(word)
    const edits = Math.max(1, Math.floor(word.length / 3))
    const close = sorted.filter(
      (candidate, index) =>
        Math.abs(candidate.length - word.length) <= edits &&
        bitsIn(own ^ (letters[index] ?? 0)) <= 2 * edits,
    )
    return nearest(word, close)
  }
  return { longer, nearest: nearestOf }
}

/** Where the first word stands that is greater than this one. */
function firstAfter(sorted: readonly string[], word: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? "") > word) high = middle
    else low = middle + 1
  }
  return low
}

/** One bit for each letter that is in the word. */
function lettersOf(word: string): number {
  let bits = 0
  for (let index = 0; index < word.length; index += 1) bits |= 1 << (word.charCodeAt(index) & 31)
  return bits >>> 0
}

function bitsIn(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
