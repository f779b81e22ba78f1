import { type CallContext, limits, ToolFailure } from "../../../contract/index.ts"
import { type FileSource, readBytes } from "./file-source.ts"
import { countLines, findLine } from "./find-line.ts"
import type { LinePosition } from "./line-position.ts"
import { type Piece, readPiece } from "./read-piece.ts"
import { textFrom } from "./text-bytes.ts"

export interface ReadRequest {
  readonly path: string
  readonly encoding: "utf8" | "base64"
  readonly start_line?: number
  readonly line_count?: number
  readonly offset?: number
  readonly limit?: number
}

/** What file.read answers for a file. */
export interface FileResult {
  readonly kind: "file"
  readonly path: string
  readonly encoding: "utf8" | "base64"
  readonly text?: string
  readonly base64?: string
  /** The whole file's, in bytes. */
  readonly size: number
  /** Where the piece starts and how long it is, in bytes. */
  readonly offset: number
  readonly bytes: number
  readonly start_line?: number
  readonly end_line?: number
  /** Only when the end was reached, so that nothing more has to be read to know it. */
  readonly total_lines?: number
  /** Less than what was asked for. */
  readonly truncated: boolean
  readonly next_offset?: number
  readonly next_start_line?: number
}

export async function readAsText(
  source: FileSource,
  request: ReadRequest,
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
    maxBytes: limit ?? limits.textBytes,
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

export async function readAsBase64(
  source: FileSource,
  request: ReadRequest,
  context: CallContext,
): Promise<FileResult> {
  const { offset = 0, limit = source.size } = request
  warnPastEnd(source, offset, context)
  const bytes = await readBytes(source, offset, Math.min(limit, limits.file.base64Bytes))
  return {
    ...describe(source, request, { offset, bytes }),
    truncated: bytes.length < Math.min(limit, source.size - offset),
    base64: Buffer.from(bytes).toString("base64"),
  }
}

function describe(
  source: FileSource,
  request: ReadRequest,
  piece: Pick<Piece, "offset" | "bytes">,
): Omit<FileResult, "truncated"> {
  const end = piece.offset + piece.bytes.length
  return {
    kind: "file" as const,
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

function pastLastLine(source: FileSource, request: ReadRequest, totalLines: number): FileResult {
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
  return new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(path)} is not UTF-8 text here; read it with encoding "base64".`,
    field: "encoding",
    expected: '"base64" for a file that is not UTF-8 text',
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
