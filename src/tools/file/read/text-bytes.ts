import { invalidArgument } from "../../arguments.ts"

const encoder = new TextEncoder()
// ignoreBOM keeps a byte order mark as a character, so that text goes back as it came.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text that these bytes are, or null for what no text file holds: NUL or invalid UTF-8. */
export function textFrom(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** The bytes of a text, refused when it holds half of a surrogate pair: no UTF-8 file can. */
export function bytesFrom(text: string, field: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text)
  throw invalidArgument(
    field,
    `"${field}" contains half of a surrogate pair, which a UTF-8 file can't hold.`,
    "well-formed Unicode text",
  )
}

/** How many bytes a character of UTF-8 has at most. */
export const longestCharacter = 4

/** Where a character that goes on at this place ends; the place itself between two characters. */
export function endOfCharacter(bytes: Uint8Array, place: number): number {
  const isInside = (at: number) => ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000
  let end = Math.min(place, bytes.length)
  while (end < place + longestCharacter - 1 && isInside(end)) end += 1
  return end
}

/** The first character's bytes. */
export function firstCharacter(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, endOfCharacter(bytes, 1))
}
