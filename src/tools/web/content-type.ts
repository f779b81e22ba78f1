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
const looksLikeHtml = /^\s*(<!--.*?-->\s*)*<(!doctype html|html|head|body)[\s>]/is

/** By what the server says; where it says nothing, or says text of what is none, by the bytes. */
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
