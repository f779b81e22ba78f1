import { wordsOf } from "./words-of.ts"

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
