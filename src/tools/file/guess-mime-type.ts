import { textFrom } from "./text-bytes.ts"

/** How files of well-known kinds begin: at a byte, these bytes. */
const beginnings: readonly (readonly [mimeType: string, at: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["image/bmp", 0, "BM"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["application/pdf", 0, "%PDF-"],
  ["application/zip", 0, "PK\x03\x04"],
  ["application/gzip", 0, "\x1f\x8b"],
  ["application/zstd", 0, "\x28\xb5\x2f\xfd"],
  ["application/x-xz", 0, "\xfd7zXZ\0"],
  ["application/x-bzip2", 0, "BZh"],
  ["application/x-7z-compressed", 0, "7z\xbc\xaf\x27\x1c"],
  ["application/x-tar", 257, "ustar"],
  ["application/wasm", 0, "\0asm"],
  ["application/x-executable", 0, "\x7fELF"],
  ["application/vnd.sqlite3", 0, "SQLite format 3\0"],
  ["audio/wav", 8, "WAVE"],
  ["audio/mpeg", 0, "ID3"],
  ["audio/mpeg", 0, "\xff\xfb"],
  ["audio/flac", 0, "fLaC"],
  ["audio/ogg", 0, "OggS"],
  ["video/mp4", 4, "ftyp"],
  ["video/webm", 0, "\x1a\x45\xdf\xa3"],
]

/** What a text is called by the end of its name. */
const endings: Readonly<Record<string, string>> = {
  cjs: "text/javascript",
  css: "text/css",
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  jsx: "text/javascript",
  md: "text/markdown",
  mjs: "text/javascript",
  py: "text/x-python",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  toml: "application/toml",
  ts: "text/typescript",
  tsv: "text/tab-separated-values",
  tsx: "text/typescript",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
}

export interface MimeGuess {
  readonly mimeType: string
  readonly isText: boolean
}

/** From how a file starts, and for text from its name: a name alone proves nothing about bytes. */
export function guessMimeType(path: string, start: Uint8Array): MimeGuess {
  const latin = Buffer.from(start).toString("latin1")
  const known = beginnings.find(([, at, bytes]) => latin.startsWith(bytes, at))
  const isText = textFrom(start) !== null
  if (known && !(isText && isShort(known[2]))) return { mimeType: known[0], isText }
  if (!isText) return { mimeType: "application/octet-stream", isText }
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  const named = Object.hasOwn(endings, ending) ? endings[ending] : undefined
  return { mimeType: named ?? "text/plain", isText }
}

/** Two or three letters begin many a text. */
function isShort(bytes: string): boolean {
  return bytes.length <= 3
}
