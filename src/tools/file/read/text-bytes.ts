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
    `${field} contains half of a surrogate pair, which a UTF-8 file can't hold.`,
    "well-formed Unicode text",
  )
}

/** How many bytes a character of UTF-8 has at most. */
export const longestCharacter = 4

/** The first character's bytes. */
export function firstCharacter(bytes: Uint8Array): Uint8Array {
  let length = 1
  while (length < longestCharacter && ((bytes[length] ?? 0) & 0b1100_0000) === 0b1000_0000) {
    length += 1
  }
  return bytes.subarray(0, length)
}
