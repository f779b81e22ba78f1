/** The most common extension of a type comes first. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  "application/gzip": ["gz", "tgz"],
  "application/json": ["json"],
  "application/jsonl": ["jsonl"],
  "application/pdf": ["pdf"],
  "application/toml": ["toml"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/x-sh": ["sh"],
  "application/x-tar": ["tar"],
  "application/xml": ["xml"],
  "application/yaml": ["yaml", "yml"],
  "application/zip": ["zip"],
  "audio/aac": ["aac"],
  "audio/aiff": ["aiff", "aif"],
  "audio/flac": ["flac"],
  "audio/mp4": ["m4a"],
  "audio/mpeg": ["mp3"],
  "audio/ogg": ["ogg", "oga", "opus"],
  "audio/wav": ["wav"],
  "image/avif": ["avif"],
  "image/bmp": ["bmp"],
  "image/gif": ["gif"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/png": ["png"],
  "image/svg+xml": ["svg"],
  "image/tiff": ["tif", "tiff"],
  "image/webp": ["webp"],
  "text/css": ["css"],
  "text/csv": ["csv"],
  "text/html": ["html", "htm"],
  "text/javascript": ["js", "mjs", "cjs", "jsx"],
  "text/markdown": ["md", "markdown"],
  "text/plain": ["txt", "log"],
  "text/tab-separated-values": ["tsv"],
  "text/typescript": ["ts", "tsx"],
  "text/x-python": ["py"],
  "video/mp4": ["mp4"],
  "video/webm": ["webm"],
}

/** The type that a file's name implies, or null. */
export function mimeTypeOfName(filename: string): string | null {
  const dot = filename.lastIndexOf(".")
  if (dot < 0) return null
  const extension = filename.slice(dot + 1).toLowerCase()
  const found = Object.entries(extensions).find(([, names]) => names.includes(extension))
  return found?.[0] ?? null
}

/** "png" for "image/png"; null for an unknown type. */
export function extensionOf(mimeType: string): string | null {
  const names = Object.hasOwn(extensions, bareType(mimeType)) ? extensions[bareType(mimeType)] : []
  return names?.[0] ?? null
}

/** How files of a type begin: the bytes at an offset, "?" for any. */
const signatures: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 0, "RIFF????WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["image/avif", 4, "ftypavis"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["image/bmp", 0, "BM????\0\0\0\0"],
  ["audio/wav", 0, "RIFF????WAVE"],
  ["audio/flac", 0, "fLaC"],
  ["audio/ogg", 0, "OggS"],
  ["audio/mpeg", 0, "ID3\x02"],
  ["audio/mpeg", 0, "ID3\x03"],
  ["audio/mpeg", 0, "ID3\x04"],
  ["audio/mpeg", 0, "\xff\xfb"],
  ["audio/mpeg", 0, "\xff\xf3"],
  ["audio/mpeg", 0, "\xff\xf2"],
  ["audio/aac", 0, "\xff\xf1"],
  ["audio/aac", 0, "\xff\xf9"],
  ["audio/aiff", 0, "FORM????AIF"],
  ["audio/mp4", 4, "ftypM4A "],
  ["video/mp4", 4, "ftyp"],
  ["video/webm", 0, "\x1a\x45\xdf\xa3"],
  ["application/pdf", 0, "%PDF-"],
  ["application/zip", 0, "PK\x03\x04"],
  ["application/gzip", 0, "\x1f\x8b"],
  ["application/zstd", 0, "\x28\xb5\x2f\xfd"],
  ["application/x-xz", 0, "\xfd7zXZ\0"],
  ["application/x-bzip2", 0, "BZh?1AY&SY"],
  ["application/x-7z-compressed", 0, "7z\xbc\xaf\x27\x1c"],
  ["application/x-tar", 257, "ustar"],
  ["application/wasm", 0, "\0asm"],
  ["application/x-executable", 0, "\x7fELF"],
  ["application/vnd.sqlite3", 0, "SQLite format 3\0"],
]

/** How many bytes of a file's start decide its type. */
export const signatureBytes = 512

/** The type that a file's first bytes imply, or null. */
export function mimeTypeOfBytes(bytes: Uint8Array): string | null {
  const found = signatures.find(([, offset, wanted]) => beginsWith(bytes.subarray(offset), wanted))
  if (found) return found[0]
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, signatureBytes))
  return /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/.test(
    start,
  )
    ? "image/svg+xml"
    : null
}

function beginsWith(bytes: Uint8Array, wanted: string): boolean {
  if (bytes.length < wanted.length) return false
  for (let index = 0; index < wanted.length; index += 1) {
    const character = wanted[index]
    if (character !== "?" && wanted.charCodeAt(index) !== bytes[index]) return false
  }
  return true
}

/** Synonyms, and containers named after their content. */
const synonyms: readonly (readonly string[])[] = [
  ["image/jpeg", "image/jpg"],
  ["audio/mpeg", "audio/mp3"],
  ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"],
  ["audio/flac", "audio/x-flac"],
  ["audio/aiff", "audio/x-aiff"],
  ["audio/ogg", "audio/opus", "audio/vorbis", "video/ogg", "application/ogg"],
  ["video/webm", "audio/webm", "video/x-matroska", "audio/x-matroska"],
  ["audio/mp4", "audio/x-m4a", "audio/m4a", "video/mp4", "video/quicktime", "image/heic"],
  ["application/gzip", "application/x-gzip", "application/x-tgz"],
]

/** Whether bytes of type `found` may be declared as `claimed`. */
export function isSameType(claimed: string, found: string): boolean {
  const name = bareType(claimed)
  if (name === found) return true
  // Office documents and Java archives are zip files.
  if (found === "application/zip") return name.startsWith("application/")
  return synonyms.some((names) => names.includes(name) && names.includes(found))
}

/** Whether files of a type are text. */
export function isTextType(mimeType: string): boolean {
  return /^text\/|[/+](?:json|jsonl|xml|yaml|toml|x-sh)$/.test(mimeType)
}

function bareType(mimeType: string): string {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase()
}
