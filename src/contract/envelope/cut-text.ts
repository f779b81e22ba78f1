import { limits } from "../limits.ts"

const encoder = new TextEncoder()
// A byte order mark is a character of the text like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export interface CutText {
  readonly text: string
  /** How many bytes of the text are not shown; 0 when it is shown as it was given. */
  readonly omittedBytes: number
}

/**
 * Keeps the head and the tail of a long text, and says in between what was left out. The whole, with that note, fits
 * into `maxBytes` of UTF-8 where the note itself does, and no character is split. A text that was cut before gets no second note:
 * its own one grows. `omittedBefore` is what its note says, for a note that may stand anywhere in it.
 */
export function cutText(
  text: string,
  maxBytes: number = limits.textBytes,
  omittedBefore = 0,
): CutText {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no encoding.
  if (text.length * 3 <= maxBytes) return { text, omittedBytes: 0 }
  const bytes = encoder.encode(text)
  if (bytes.length <= maxBytes) return { text, omittedBytes: 0 }
  const { head: start, tail: end, total } = earlierCut(bytes, omittedBefore) ?? wholeText(bytes)
  const room = Math.max(0, maxBytes - omissionNote(total).length)
  const head = trimEndToCharacter(start.subarray(0, Math.ceil(room / 2)))
  const tail = trimStartToCharacter(end.subarray(Math.max(0, end.length - Math.floor(room / 2))))
  const omittedBytes = total - head.length - tail.length
  return {
    text: `${decoder.decode(head)}${omissionNote(omittedBytes)}${decoder.decode(tail)}`,
    omittedBytes,
  }
}

export function omissionNote(bytes: number): string {
  return `\n[... ${bytes} bytes left out ...]\n`
}

/** The text with another note in the place of each `omissionNote`, on a line of its own. */
export function replaceOmissions(text: string, note: (bytes: number) => string): string {
  return text.replaceAll(
    /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/g,
    (_, bytes: string) => `\n${note(Number(bytes))}\n`,
  )
}

/** Where a text begins and ends, and how many bytes it has with what is not there. */
interface TextEnds {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly total: number
}

function wholeText(bytes: Uint8Array): TextEnds {
  return { head: bytes, tail: bytes, total: bytes.length }
}

/** A note and more than the bytes by which a cut can miss the middle. */
const middleBytes = 64
/** Each half loses at most three bytes of a character, and one may have a byte more. */
const unevenBytes = 4
const anyNote = /\n\[\.\.\. (\d{1,15}) bytes left out \.\.\.\]\n/

/** The parts of a text that was cut before. Its note is in its very middle, where no text has one by chance. */
function earlierCut(bytes: Uint8Array, omittedBefore: number): TextEnds | null {
  const from = omittedBefore > 0 ? 0 : Math.max(0, Math.floor(bytes.length / 2) - middleBytes)
  const part = bytes.subarray(from, omittedBefore > 0 ? bytes.length : from + 2 * middleBytes)
  // One character for each byte, so that places in the text are places in the bytes.
  const text = latin1(part)
  const note = omittedBefore > 0 ? omissionNote(omittedBefore) : (anyNote.exec(text)?.[0] ?? "")
  const at = note === "" ? -1 : text.indexOf(note)
  if (at === -1) return null
  const head = bytes.subarray(0, from + at)
  const tail = bytes.subarray(from + at + note.length)
  if (omittedBefore === 0 && Math.abs(head.length - tail.length) > unevenBytes) return null
  return { head, tail, total: head.length + tail.length + Number(/\d+/.exec(note)?.[0]) }
}

function latin1(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
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
