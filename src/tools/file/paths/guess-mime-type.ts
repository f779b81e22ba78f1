import { isTextType, mimeTypeOfBytes, mimeTypeOfName } from "../../../node/index.ts"
import { textFrom } from "../read/text-bytes.ts"

export interface MimeGuess {
  readonly mimeType: string
  readonly isText: boolean
}

/** From how a file starts, and for text from its name: a name alone proves nothing about bytes. */
export function guessMimeType(path: string, start: Uint8Array): MimeGuess {
  const isText = textFrom(start) !== null
  const found = mimeTypeOfBytes(start)
  if (!isText || (found !== null && !isTextType(found))) {
    return { mimeType: found ?? "application/octet-stream", isText }
  }
  const named = mimeTypeOfName(path)
  const mimeType = named !== null && isTextType(named) ? named : (found ?? "text/plain")
  return { mimeType, isText }
}
