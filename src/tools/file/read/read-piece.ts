import { trimEndToCharacter, trimStartToCharacter } from "../../../contract/index.ts"
import { type FileSource, readBytes } from "./file-source.ts"
import { lengthOfLines } from "./find-line.ts"

/** A run of bytes of a file that starts and ends between characters. */
export interface Piece {
  /** Where it really starts: an offset inside of a character moves on to the next one. */
  readonly offset: number
  readonly bytes: Uint8Array
  /** Whether it ends where it was asked to, not where the room was used up. */
  readonly complete: boolean
}

export interface PieceRequest {
  readonly offset: number
  readonly maxBytes: number
  /** Stop after this many lines; null for no such end. */
  readonly maxLines: number | null
  /** When the room is used up, prefer to end after a whole line. */
  readonly wholeLines: boolean
}

const newline = 0x0a
const longestCharacter = 4

export async function readPiece(source: FileSource, request: PieceRequest): Promise<Piece> {
  const { offset, maxBytes, maxLines } = request
  const read = await readBytes(source, offset, maxBytes + longestCharacter)
  const bytes = offset > 0 ? trimStartToCharacter(read) : read
  const start = offset + read.length - bytes.length
  const wanted = maxLines === null ? null : lengthOfLines(bytes, maxLines)
  if (wanted !== null && wanted <= maxBytes) {
    return { offset: start, bytes: bytes.subarray(0, wanted), complete: true }
  }
  if (bytes.length <= maxBytes) return { offset: start, bytes, complete: true }
  return { offset: start, bytes: cutPiece(bytes, request), complete: false }
}

function cutPiece(bytes: Uint8Array, request: PieceRequest): Uint8Array {
  const room = bytes.subarray(0, request.maxBytes)
  const lastLineEnd = request.wholeLines ? room.lastIndexOf(newline) : -1
  if (lastLineEnd >= 0) return room.subarray(0, lastLineEnd + 1)
  const cut = trimEndToCharacter(room)
  // Even when the room is smaller than one character, reading on must get somewhere.
  return cut.length > 0 ? cut : firstCharacter(bytes)
}

export function firstCharacter(bytes: Uint8Array): Uint8Array {
  let length = 1
  while (length < longestCharacter && ((bytes[length] ?? 0) & 0b1100_0000) === 0b1000_0000) {
    length += 1
  }
  return bytes.subarray(0, length)
}
