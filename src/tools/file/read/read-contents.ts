import {
  type CallContext,
  type InferSchema,
  object,
  type ToolFailure,
  trimEndToCharacter,
  trimStartToCharacter,
} from "../../../contract/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { type FileSource, readBytes } from "./file-source.ts"
import { countLines, findLine, type LinePosition, lengthOfLines } from "./find-line.ts"
import type { ReadInput } from "./read-tool.ts"
import { endOfCharacter, longestCharacter, textFrom } from "./text-bytes.ts"

/** The result of reading a file. */
export const fileSchema = object({
  kind: { const: "file" },
  path: { type: "string" },
  encoding: { enum: ["utf8", "base64"] },
  "text?": { type: "string" },
  "base64?": { type: "string" },
  size: { type: "integer", description: "The whole file's, in bytes." },
  offset: { type: "integer", description: "Where the piece starts, in bytes." },
  bytes: { type: "integer", description: "How long the piece is." },
  "start_line?": { type: "integer" },
  "end_line?": { type: "integer" },
  "total_lines?": { type: "integer", description: "Only when the end was reached." },
  truncated: { type: "boolean", description: "Less was returned than asked for." },
  "next_offset?": { type: "integer" },
  "next_start_line?": { type: "integer" },
})

type FileResult = InferSchema<typeof fileSchema>

/** A file, and how much of it one answer holds. */
export interface ReadSource extends FileSource {
  readonly textBytes: number
}

export async function readAsText(
  source: ReadSource,
  request: ReadInput,
  context: CallContext,
): Promise<FileResult> {
  const { start_line: startLine = 1, offset, limit } = request
  const position: LinePosition =
    offset === undefined ? await findLine(source, startLine) : { kind: "found", offset }
  if (position.kind === "past-end") {
    const { totalLines } = position
    if (startLine > 1) {
      context.warn(
        `Line ${startLine} is past the end: the file has ${counted(totalLines, "line")}.`,
      )
    }
    return pastLastLine(source, request, totalLines)
  }
  warnPastEnd(source, position.offset, context)
  const piece = await readPiece(source, {
    offset: position.offset,
    maxBytes: limit ?? source.textBytes,
    maxLines: request.line_count ?? null,
    wholeLines: limit === undefined,
  })
  const text = textFrom(piece.bytes)
  if (text === null) throw notText(request.path)
  return {
    ...describe(source, request, piece),
    truncated: limit === undefined && !piece.complete,
    ...lineNumbers(source, piece, position.offset === 0 ? 1 : request.start_line),
    text,
  }
}

/** Of a file in one answer, below its limit by the rest of a character. */
export function rangeBytes(textBytes: number): number {
  return textBytes - longestCharacter
}

/** base64 makes 4 characters of 3 bytes. */
export function base64Bytes(textBytes: number): number {
  return Math.floor((textBytes * 3) / 4)
}

export async function readAsBase64(
  source: ReadSource,
  request: ReadInput,
  context: CallContext,
): Promise<FileResult> {
  const { offset = 0, limit = source.size } = request
  warnPastEnd(source, offset, context)
  const bytes = await readBytes(source, offset, Math.min(limit, base64Bytes(source.textBytes)))
  return {
    ...describe(source, request, { offset, bytes }),
    truncated: bytes.length < Math.min(limit, source.size - offset),
    base64: Buffer.from(bytes).toString("base64"),
  }
}

function describe(
  source: FileSource,
  request: ReadInput,
  piece: Pick<Piece, "offset" | "bytes">,
): Omit<FileResult, "truncated"> {
  const end = piece.offset + piece.bytes.length
  return {
    kind: "file",
    path: request.path,
    encoding: request.encoding,
    size: source.size,
    offset: piece.offset,
    bytes: piece.bytes.length,
    ...(end < source.size ? { next_offset: end } : {}),
  }
}

/** Numbers for the lines of a piece; one that starts at some byte in the middle has none. */
function lineNumbers(
  source: FileSource,
  piece: Piece,
  startLine: number | undefined,
): Pick<FileResult, "start_line" | "end_line" | "total_lines" | "next_start_line"> {
  if (startLine === undefined) return {}
  const lines = countLines(piece.bytes)
  const endLine = startLine + lines - 1
  const atEnd = piece.offset + piece.bytes.length >= source.size
  const endsLine = piece.bytes[piece.bytes.length - 1] === 0x0a
  return {
    ...(lines > 0 ? { start_line: startLine, end_line: endLine } : {}),
    ...(atEnd ? { total_lines: endLine } : {}),
    ...(!atEnd && endsLine ? { next_start_line: endLine + 1 } : {}),
  }
}

function pastLastLine(source: FileSource, request: ReadInput, totalLines: number): FileResult {
  const nothing = { offset: source.size, bytes: new Uint8Array() }
  return {
    ...describe(source, request, nothing),
    truncated: false,
    total_lines: totalLines,
    text: "",
  }
}

function warnPastEnd(source: FileSource, offset: number, context: CallContext): void {
  if (offset === 0 || offset < source.size) return
  context.warn(`Byte ${offset} is past the end: the file has ${counted(source.size, "byte")}.`)
}

function notText(path: string): ToolFailure {
  return invalidArgument(
    "encoding",
    `${JSON.stringify(path)} is not UTF-8 text here; read it with encoding "base64".`,
    '"base64" for a file that is not UTF-8 text',
  )
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/**
 * A run of bytes of a file that starts and ends between characters. A range of bytes has the characters that
 * start in it: ranges side by side lose none and have none twice, wherever their borders are.
 */
interface Piece {
  /** Where it really starts: a character that the range's first byte is inside of belongs to the range before. */
  readonly offset: number
  readonly bytes: Uint8Array
  /** Whether it ends where it was asked to, not where the room was used up. */
  readonly complete: boolean
}

interface PieceRequest {
  readonly offset: number
  readonly maxBytes: number
  /** Stop after this many lines; null for no such end. */
  readonly maxLines: number | null
  /** When the room is used up, prefer to end after a whole line; else the range is exact. */
  readonly wholeLines: boolean
}

const newline = 0x0a

async function readPiece(source: FileSource, request: PieceRequest): Promise<Piece> {
  const { offset, maxBytes, maxLines, wholeLines } = request
  const read = await readBytes(source, offset, maxBytes + longestCharacter)
  const bytes = offset > 0 ? trimStartToCharacter(read) : read
  const start = offset + read.length - bytes.length
  const wanted = maxLines === null ? null : lengthOfLines(bytes, maxLines)
  if (wanted !== null && wanted <= maxBytes) {
    return { offset: start, bytes: bytes.subarray(0, wanted), complete: true }
  }
  if (!wholeLines) {
    const end = endOfCharacter(read, maxBytes) - (read.length - bytes.length)
    return { offset: start, bytes: bytes.subarray(0, Math.max(0, end)), complete: true }
  }
  if (bytes.length <= maxBytes) return { offset: start, bytes, complete: true }
  return { offset: start, bytes: cutToLine(bytes.subarray(0, maxBytes)), complete: false }
}

function cutToLine(room: Uint8Array): Uint8Array {
  const lastLineEnd = room.lastIndexOf(newline)
  return lastLineEnd >= 0 ? room.subarray(0, lastLineEnd + 1) : trimEndToCharacter(room)
}
