import { cutText } from "../../../contract/index.ts"

/** Invisible to a person but read by a model: control characters, direction marks, characters without width or shape. */
const invisible = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]/gv

/** A text of a server, without invisible characters, cut to a length. */
export function cleanText(text: string, maxBytes: number): string {
  return cutText(text.replaceAll("\r\n", "\n").replaceAll(invisible, ""), maxBytes).text.trim()
}

/** The same in one line, as a sentence. */
export function cleanSentence(text: string, maxBytes: number): string {
  const short = cleanText(text, maxBytes).replaceAll(/\s+/g, " ")
  return short === "" || /[.!?]$/.test(short) ? short : `${short}.`
}

/** The same JSON value with null for every object and array that lies deeper than `most`. Changes the value. */
export function cutDepth(value: unknown, most: number): void {
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: object[] = []
    for (const parent of level) {
      for (const [key, child] of Object.entries(parent)) {
        if (!isNested(child)) continue
        if (depth < most) next.push(child)
        else Reflect.set(parent, key, null)
      }
    }
    level = next
  }
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
