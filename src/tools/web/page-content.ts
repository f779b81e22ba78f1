import { TextDecoder } from "node:util"
import { limits } from "../../contract/index.ts"

/** What is done with a body. */
export type ContentClass = "html" | "text" | "pdf" | "binary"

export interface ContentType {
  /** "text/html", without parameters; "" when the server says nothing. */
  readonly mimeType: string
  readonly charset: string | null
}

export function parseContentType(header: string | undefined): ContentType {
  const [mimeType = "", ...parameters] = (header ?? "").split(";").map((part) => part.trim())
  const named = parameters.find((part) => /^charset\s*=/i.test(part))
  const charset = named?.replace(/^[^=]*=\s*/, "").replace(/^"(.*)"$/, "$1")
  return { mimeType: mimeType.toLowerCase(), charset: charset || null }
}

const textual =
  /^text\/|[/+](json|xml|yaml|toml)$|^application\/(x-)?(javascript|ecmascript|typescript|ndjson|jsonl|json-seq|x-sh|sql|graphql|yaml|toml|x-www-form-urlencoded|pgp-\w+)$|^image\/svg/
const unsaid = new Set(["", "application/octet-stream", "binary/octet-stream", "unknown/unknown"])
const looksLikeHtml = /^\s*(?:<!--(?:(?!-->).)*-->\s*)*<(!doctype html|html|head|body)[\s>]/is

/** By what the server says; where it says nothing, or calls binary data text, by the bytes. */
export function classifyContent(
  { mimeType, charset }: ContentType,
  bytes: Uint8Array,
): ContentClass {
  const start = bytes.subarray(0, 1024)
  const head = new TextDecoder("latin1").decode(start)
  if (mimeType === "application/pdf" || (unsaid.has(mimeType) && head.startsWith("%PDF-")))
    return "pdf"
  const isDeclared = textual.test(mimeType)
  if (!isDeclared && !unsaid.has(mimeType) && !mimeType.includes("xhtml")) return "binary"
  if (hasBinaryBytes(start) && !isWide(start, charset)) return "binary"
  if (mimeType === "text/html" || mimeType.includes("xhtml")) return "html"
  return !isDeclared && looksLikeHtml.test(head) ? "html" : "text"
}

/** Control characters that no text has; escape is one that logs have. */
function hasBinaryBytes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b))
}

/** Texts of two bytes a character are full of zeros. */
function isWide(bytes: Uint8Array, charset: string | null): boolean {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
  return mark === 0xfffe || mark === 0xfeff || /^(utf-?16|ucs-?2|unicode)/i.test(charset ?? "")
}

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
    notes: [`The page says that its charset is ${name}, which does not exist.`],
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
