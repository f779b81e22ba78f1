const longestWord = 40

/**
 * What a text is found by: its words, in small letters and without their endings, so that "Searches" and
 * "searching" are one word. Names are taken apart too: createIssue is "create", "issue" and "createissue".
 */
export function wordsOf(text: string): string[] {
  const runs = text.normalize("NFKC").match(/[\p{L}\p{N}]+/gu) ?? []
  return runs.flatMap(wordsInRun)
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

/** Words that people and tool authors use for one thing. */
const groups = [
  "find search look grep query",
  "open navigate visit browse",
  "page website site url",
  "run execute exec launch start",
  "read show view get",
  "write save store",
  "create make new add",
  "change edit modify update replace",
  "delete remove erase forget",
  "remember memory recall note",
  "directory folder",
  "command terminal bash shell",
  "picture image photo photograph screenshot",
  "draw plot render",
  "chart graph diagram",
  "recording audio speech sound voice",
  "transcribe dictate",
  "send share deliver",
  "download fetch",
  "stop kill end terminate",
  "copy transfer",
  "rename move",
] as const

const alike = new Map<string, string[]>()
for (const group of groups) {
  const words = wordsOf(group)
  for (const word of words) {
    const others = words.filter((other) => other !== word)
    alike.set(word, [...(alike.get(word) ?? []), ...others])
  }
}

/** Other words for this one, as `wordsOf` gives them. */
export function alikeWords(word: string): readonly string[] {
  return alike.get(word) ?? []
}
