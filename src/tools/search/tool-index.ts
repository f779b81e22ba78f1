import type { JsonSchema, ToolDescription } from "../../contract/index.ts"
import { nearest } from "../../kit/index.ts"
import { toolSearchLimits } from "../limits.ts"
import { alikeWords, wordsOf } from "./words-of.ts"

/** Tools made ready to be searched. */
export interface ToolIndex<Described extends ToolDescription> {
  /**
   * Those that have to do with the query and that `accepts` accepts, at most this many, the best first; of
   * equals, the one that was given first.
   */
  rank(query: string, most: number, accepts?: (tool: Described) => boolean): Described[]
}

/** What a word says about a tool, by where it stands. */
const weights = { name: 5, title: 3, description: 1, parameter: 1, parameterDescription: 0.3 }

/** The parameters of BM25: how soon a repeated word says nothing new, and how much length counts. */
const saturation = 1.2
const lengthShare = 0.4

/** How much of its score a word gives that is not the query's own. */
const otherWords = { alike: 0.5, longer: 0.6, corrected: 0.5 }

/** Of the best score: what has less has little to do with the query, and would be paid for all the same. */
const leastShare = 0.2

const stopWords = new Set(
  wordsOf(
    "a an and any anything are as at be by can could do does for from have how i if in into is it its me my need " +
      "of on one or our please some somehow someone something that the them thing this to tool use want was " +
      "what when where which who with would you your",
  ),
)

/** The tools that have a word, by their place in the list, and what it gives to each. */
interface Posting {
  readonly tools: number[]
  readonly scores: number[]
}

type Postings = ReadonlyMap<string, Posting>

const shortestPrefix = 3
const shortestTypo = 4

export function indexTools<Described extends ToolDescription>(
  tools: readonly Described[],
): ToolIndex<Described> {
  const postings = scoreWords(tools.map(countsOf))
  const named = new Map(tools.map((tool, index) => [foldName(tool.name), index]))

  function scoresFor(query: string): Float64Array {
    const total = new Float64Array(tools.length)
    const best = new Float64Array(tools.length)
    for (const word of queryWords(query)) {
      best.fill(0)
      giveBest(word, best, postings)
      for (let tool = 0; tool < total.length; tool += 1) {
        total[tool] = (total[tool] ?? 0) + (best[tool] ?? 0)
      }
    }
    const exact = named.get(foldName(query))
    if (exact !== undefined) total[exact] = 1 + total.reduce((most, score) => Math.max(most, score))
    return total
  }
  return {
    rank(query, most, accepts = () => true) {
      const scores = scoresFor(query.slice(0, toolSearchLimits.queryCharacters))
      const found = tools
        .map((tool, index) => ({ tool, score: scores[index] ?? 0 }))
        .filter(({ tool, score }) => score > 0 && accepts(tool))
        .sort((a, b) => b.score - a.score)
      const least = leastShare * (found[0]?.score ?? 0)
      return found
        .slice(0, most)
        .filter(({ score }) => score >= least)
        .map(({ tool }) => tool)
    },
  }
}

/** file.grep, file_grep and "file grep" are one name. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")
}

function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))].filter((word) => !stopWords.has(word))
  return words.slice(0, toolSearchLimits.queryWords)
}

/** What one word of a query gives to each tool: its own score, or that of the best word in its place. */
function giveBest(word: string, best: Float64Array, postings: Postings): void {
  let isFound = false
  const give = (found: string, factor: number) => {
    const posting = postings.get(found)
    isFound ||= posting !== undefined
    posting?.tools.forEach((tool, index) => {
      const given = (posting.scores[index] ?? 0) * factor
      if (given > (best[tool] ?? 0)) best[tool] = given
    })
  }
  give(word, 1)
  for (const other of alikeWords(word)) give(other, otherWords.alike)
  for (const longer of longerWords(word, postings)) {
    give(longer, (otherWords.longer * word.length) / longer.length)
  }
  const corrected = isFound || word.length < shortestTypo ? null : nearest(word, postings.keys())
  if (corrected !== null) give(corrected, otherWords.corrected)
}

/** Those that begin with this one, for words that are only begun. */
function longerWords(word: string, postings: Postings): Iterable<string> {
  if (word.length < shortestPrefix) return []
  return postings
    .keys()
    .filter((known) => known.length > word.length && known.startsWith(word))
    .take(toolSearchLimits.prefixWords)
}

/** How often each word stands in what is said of a tool, weighed by where. */
type Counts = ReadonlyMap<string, number>

const counted = new WeakMap<ToolDescription, Counts>()

/** A tool never changes, so that after a change in the list only new ones are read. */
function countsOf(tool: ToolDescription): Counts {
  const counts = counted.get(tool) ?? countWords(tool)
  counted.set(tool, counts)
  return counts
}

function countWords(tool: ToolDescription): Counts {
  const counts = new Map<string, number>()
  let left: number = toolSearchLimits.indexedCharacters
  const count = (text: string, weight: number) => {
    if (left <= 0) return
    for (const word of wordsOf(text.slice(0, left))) {
      if (!stopWords.has(word)) counts.set(word, (counts.get(word) ?? 0) + weight)
    }
    left -= text.length
  }
  count(tool.name, weights.name)
  count(tool.title, weights.title)
  // An example's values are about anything.
  count(tool.description.replace(/Example: \{.*$/s, ""), weights.description)
  for (const [name, schema] of parametersOf(tool.inputSchema)) {
    count(name, weights.parameter)
    if (typeof schema.description === "string") {
      count(schema.description, weights.parameterDescription)
    }
  }
  return counts
}

/** Those of the tool, and those of the objects in them. */
function* parametersOf(schema: JsonSchema, depth = 0): Generator<[string, JsonSchema]> {
  if (depth > 3) return
  for (const [name, parameter] of Object.entries(schema.properties ?? {})) {
    if (typeof parameter !== "object" || parameter === null) continue
    yield [name, parameter]
    const { items } = parameter
    yield* parametersOf(parameter, depth + 1)
    if (typeof items === "object" && items !== null && !Array.isArray(items)) {
      yield* parametersOf(items as JsonSchema, depth + 1)
    }
  }
}

/** BM25: a word counts more the fewer tools have it, and the more of a tool it is. */
function scoreWords(all: readonly Counts[]): Postings {
  const lengths = all.map((counts) => counts.values().reduce((sum, count) => sum + count, 0))
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, all.length)
  const spread = new Map<string, number>()
  for (const counts of all) {
    for (const word of counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1)
  }
  const postings = new Map<string, Posting>()
  all.forEach((counts, tool) => {
    const relative = (lengths[tool] ?? 0) / average
    const damping = saturation * (1 - lengthShare + lengthShare * relative)
    for (const [word, count] of counts) {
      const having = spread.get(word) ?? 1
      const rarity = Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
      const posting = postings.get(word) ?? { tools: [], scores: [] }
      posting.tools.push(tool)
      posting.scores.push((rarity * count * (saturation + 1)) / (count + damping))
      postings.set(word, posting)
    }
  })
  return postings
}
