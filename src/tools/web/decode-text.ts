import { TextDecoder } from "node:util"
import { limits } from "../../contract/index.ts"

export interface DecodedText {
  readonly text: string
  /** What a reader of the text should know. */
  readonly notes: readonly string[]
}

const markedInside =
  /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)|^<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i
const searchedBytes = 1024

/** As browsers read text: by a byte order mark, then the header, then what stands in the text itself. */
export function decodeText(bytes: Uint8Array, charset: string | null): DecodedText {
  const marked = byMark(bytes)
  if (marked) return { text: marked.decode(bytes), notes: [] }
  const label = charset ?? inside(bytes)
  if (label === null) return { text: guessed(bytes), notes: [] }
  const decoder = decoderFor(label)
  if (decoder) return { text: decoder.decode(bytes), notes: [] }
  const name = JSON.stringify(label.slice(0, limits.quotedCharacters))
  return {
    text: guessed(bytes),
    notes: [`The page says that its charset is ${name}, which is none.`],
  }
}

function byMark([first, second, third]: Uint8Array): TextDecoder | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder("utf-8")
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be")
  return first === 0xff && second === 0xfe ? new TextDecoder("utf-16le") : null
}

function inside(bytes: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, searchedBytes))
  const [, meta, xml] = markedInside.exec(start) ?? []
  const label = meta ?? xml ?? null
  // It was readable as bytes, so it can't be what it says.
  return label !== null && /^utf-?16/i.test(label) ? "utf-8" : label
}

function decoderFor(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

function guessed(bytes: Uint8Array): string {
  try {
    // The last character may be cut off by the limit.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder("windows-1252").decode(bytes)
  }
}
