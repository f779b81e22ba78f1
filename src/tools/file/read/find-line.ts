import { limits } from "../../../contract/index.ts"
import { type FileSource, readBytes, readChunks } from "./file-source.ts"
import { findLineInside } from "./find-line-inside.ts"
import type { LinePosition } from "./line-position.ts"

const newline = 0x0a

/** Where a line starts; the first is 1. */
export async function findLine(source: FileSource, line: number): Promise<LinePosition> {
  if (line === 1 && source.size > 0) return { kind: "found", offset: 0 }
  // Each chunk is a command of its own where commands are processes: many of them take long.
  const isBig = source.size > limits.file.nearBytes && source.workspace.can.background
  return (isBig ? await findInBig(source, line) : null) ?? findByChunks(source, line)
}

async function findInBig(source: FileSource, line: number): Promise<LinePosition | null> {
  const start = await readBytes(source, 0, limits.file.chunkBytes)
  const offset = lengthOfLines(start, line - 1)
  return offset === null ? findLineInside(source, line, start) : { kind: "found", offset }
}

/** By counting newlines in one chunk after the other. */
async function findByChunks(source: FileSource, line: number): Promise<LinePosition> {
  let newlines = 0
  let offset = 0
  let endsLine = true
  for await (const chunk of readChunks(source)) {
    const before = skipNewlines(chunk, line - 1 - newlines)
    newlines += before.newlines
    offset += before.length
    endsLine = chunk[chunk.length - 1] === newline
    if (newlines === line - 1 && offset < source.size) return { kind: "found", offset }
  }
  return { kind: "past-end", totalLines: endsLine ? newlines : newlines + 1 }
}

/** How far it is to just after the newline with this number, or to the end where there are fewer. */
function skipNewlines(bytes: Uint8Array, wanted: number): { newlines: number; length: number } {
  let newlines = 0
  let after = 0
  while (newlines < wanted) {
    const at = bytes.indexOf(newline, after)
    if (at === -1) return { newlines, length: bytes.length }
    after = at + 1
    newlines += 1
  }
  return { newlines, length: after }
}

export function countLines(bytes: Uint8Array): number {
  const { newlines } = skipNewlines(bytes, Number.POSITIVE_INFINITY)
  const last = bytes[bytes.length - 1]
  return last === undefined || last === newline ? newlines : newlines + 1
}

/** The length of the first `lines` lines with their ends, or null when there are fewer. */
export function lengthOfLines(bytes: Uint8Array, lines: number): number | null {
  const { newlines, length } = skipNewlines(bytes, lines)
  return newlines === lines ? length : null
}
