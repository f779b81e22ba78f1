import { type FileSource, readChunks } from "./file-source.ts"

export type LinePosition =
  | { readonly kind: "found"; readonly offset: number }
  | { readonly kind: "past-end"; readonly totalLines: number }

const newline = 0x0a

/** Where a line starts (the first is 1), by counting newlines in one chunk after the other. */
export async function findLine(source: FileSource, line: number): Promise<LinePosition> {
  let newlines = 0
  let offset = 0
  let last = newline
  for await (const chunk of readChunks(source)) {
    for (let at = 0; newlines < line - 1 && at < chunk.length; at += 1) {
      if (chunk[at] === newline && ++newlines === line - 1) offset += at + 1
    }
    if (newlines === line - 1) break
    offset += chunk.length
    last = chunk[chunk.length - 1] ?? newline
  }
  if (newlines === line - 1 && offset < source.size) return { kind: "found", offset }
  return { kind: "past-end", totalLines: last === newline ? newlines : newlines + 1 }
}

export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (const byte of bytes) if (byte === newline) lines += 1
  return bytes.length > 0 && bytes[bytes.length - 1] !== newline ? lines + 1 : lines
}

/** The length of the first `lines` lines with their ends, or null when there are fewer. */
export function lengthOfLines(bytes: Uint8Array, lines: number): number | null {
  let at = -1
  for (let line = 0; line < lines; line += 1) {
    at = bytes.indexOf(newline, at + 1)
    if (at === -1) return null
  }
  return at + 1
}
