/** The extension that a type's files usually have comes first. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  "application/gzip": ["gz", "tgz"],
  "application/json": ["json"],
  "application/pdf": ["pdf"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
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
  "text/javascript": ["js", "mjs", "cjs"],
  "text/markdown": ["md", "markdown"],
  "text/plain": ["txt", "log"],
  "text/tab-separated-values": ["tsv"],
  "video/mp4": ["mp4"],
  "video/webm": ["webm"],
}

const byExtension = new Map(
  Object.entries(extensions).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
)

/** The type that a file's name tells, or null. */
export function mimeTypeOfName(filename: string): string | null {
  const dot = filename.lastIndexOf(".")
  return dot < 0 ? null : (byExtension.get(filename.slice(dot + 1).toLowerCase()) ?? null)
}

/** "png" for "image/png"; null for a type that is not known here. */
export function extensionOf(mimeType: string): string | null {
  const names = Object.hasOwn(extensions, bareType(mimeType)) ? extensions[bareType(mimeType)] : []
  return names?.[0] ?? null
}

/** How files of a type begin: the bytes at a place, "?" for any. */
const beginnings: readonly (readonly [type: string, offset: number, bytes: string])[] = [
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
  ["audio/mpeg", 0, "ID3"],
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
  ["application/x-tar", 257, "ustar"],
]

/** How many bytes of a file's start tell its type. */
export const telltaleBytes = 512

/** The type that a file's first bytes tell, or null. */
export function mimeTypeOfBytes(bytes: Uint8Array): string | null {
  const found = beginnings.find(([, offset, wanted]) => beginsWith(bytes.subarray(offset), wanted))
  if (found) return found[0]
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, telltaleBytes))
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

/** Names of one type, and containers that are called after what is in them. */
const alike: readonly (readonly string[])[] = [
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

/** Whether bytes that look like `found` may be called `claimed`. */
export function isSameType(claimed: string, found: string): boolean {
  const name = bareType(claimed)
  if (name === found) return true
  // A document of an office program is a zip, and so is an archive of Java.
  if (found === "application/zip") return name.startsWith("application/")
  return alike.some((names) => names.includes(name) && names.includes(found))
}

function bareType(mimeType: string): string {
  return (mimeType.split(";")[0] ?? "").trim().toLowerCase()
}
