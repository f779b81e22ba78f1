const longestWord = 40

/** Runs of letters and digits with the words in them; who reads many texts keeps one. */
export type KnownRuns = Map<string, readonly string[]>

/**
 * What a text is found by: its words, in small letters and without their endings, so that "Searches" and
 * "searching" are one word. Names are taken apart too: createIssue is "create", "issue" and "createissue".
 */
export function wordsOf(text: string, known: KnownRuns = new Map()): string[] {
  const runs = text.normalize("NFKC").match(/[\p{L}\p{N}]+/gu) ?? []
  return runs.flatMap((run) => {
    const words = known.get(run) ?? wordsInRun(run)
    known.set(run, words)
    return words
  })
}

function wordsInRun(run: string): readonly string[] {
  const parts = run.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
  return (parts.length === 1 ? parts : [...parts, run]).map(stemOf)
}

/** Crude on purpose: both sides of a comparison are cut alike, and a typo is forgiven anyway. */
function stemOf(run: string): string {
  const word = run.toLowerCase().slice(0, longestWord)
  if (word.length < 4) return word
  const single = singularOf(word)
  const bare = single.replace(/(?<=[^aeiou].*[aeiou].*[^e])(?:ing|ed|ion)$|(?<=.[aeiou].+)ing$/, "")
  const undoubled = bare === single ? bare : bare.replace(/([bdgmnprt])\1$/, "$1")
  return undoubled.length > 3 ? undoubled.replace(/e$/, "") : undoubled
}

function singularOf(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`
  if (/(?:ss|ch|sh|x|z)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") ? word.slice(0, -1) : word
}
