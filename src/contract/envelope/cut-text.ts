import { limits } from "../limits.ts"

const encoder = new TextEncoder()
// A byte order mark is a character of the text like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export interface CutText {
  readonly text: string
  /** How many bytes of the text are not shown; 0 when it is whole. */
  readonly omittedBytes: number
}

/**
 * Keeps the head and the tail of a long text, and says in between what was left out.
 * Counts UTF-8 bytes and never splits a character.
 */
export function cutText(text: string, maxBytes: number = limits.textBytes): CutText {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no encoding.
  if (text.length * 3 <= maxBytes) return { text, omittedBytes: 0 }
  const bytes = encoder.encode(text)
  if (bytes.length <= maxBytes) return { text, omittedBytes: 0 }
  const head = trimEndToCharacter(bytes.subarray(0, Math.ceil(maxBytes / 2)))
  const tail = trimStartToCharacter(bytes.subarray(bytes.length - Math.floor(maxBytes / 2)))
  const omittedBytes = bytes.length - head.length - tail.length
  return {
    text: `${decoder.decode(head)}${omissionNote(omittedBytes)}${decoder.decode(tail)}`,
    omittedBytes,
  }
}

export function omissionNote(bytes: number): string {
  return `\n[... ${bytes} bytes left out ...]\n`
}

/** Drops the bytes of a character that the end of a head has split. */
export function trimEndToCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** Drops the bytes of a character that the start of a tail has split. */
export function trimStartToCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) {
    start += 1
  }
  return bytes.subarray(start)
}

function sequenceLength(leadingByte: number): number {
  if (leadingByte >= 0b1111_0000) return 4
  if (leadingByte >= 0b1110_0000) return 3
  return leadingByte >= 0b1100_0000 ? 2 : 1
}
