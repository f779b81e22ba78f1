import { extensionOf, mimeTypeOfBytes } from "../../node/index.ts"

/** How a recording is packed, told by its first bytes. */
export interface AudioFormat {
  readonly mimeType: string
  readonly extension: string
  /** What audio-decode calls it. */
  readonly decoder: Decoder
}

export type Decoder = "wav" | "mp3" | "flac" | "opus" | "oga" | "m4a" | "aac" | "aiff" | "webm"

const decoders: Readonly<Record<string, Decoder>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "video/mp4": "m4a",
  "audio/aac": "aac",
  "audio/aiff": "aiff",
  "video/webm": "webm",
}
/** An Ogg stream says within its first page what is in it. */
const firstPageBytes = 200

/** Null for bytes that are not a recording. */
export function formatOf(bytes: Uint8Array): AudioFormat | null {
  const mimeType = mimeTypeOfBytes(bytes)
  if (mimeType === null) return null
  const decoder = mimeType === "audio/ogg" ? oggDecoder(bytes) : decoders[mimeType]
  return decoder ? { mimeType, extension: extensionOf(mimeType) ?? "bin", decoder } : null
}

function oggDecoder(bytes: Uint8Array): Decoder | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, firstPageBytes))
  if (start.includes("OpusHead")) return "opus"
  return start.includes("\x01vorbis") ? "oga" : undefined
}
