import { limits } from "../../../contract/index.ts"
import { fileLimits } from "../../limits.ts"
import { type FileSource, readBytes, readChunks } from "./file-source.ts"

const newline = 0x0a

/** Where a line starts; the first is 1. */
export async function findLine(source: FileSource, line: number): Promise<LinePosition> {
  if (line === 1 && source.size > 0) return { kind: "found", offset: 0 }
  // Each chunk is a command of its own where commands are processes: many of them take long.
  const isBig = source.size > fileLimits.nearBytes && source.workspace.can.background
  return (isBig ? await findInBig(source, line) : null) ?? findByChunks(source, line)
}

async function findInBig(source: FileSource, line: number): Promise<LinePosition | null> {
  const start = await readBytes(source, 0, limits.chunkBytes)
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

/**
 * `head` leaves a file that it has read lines of at the byte after them, as POSIX asks of it, so the
 * offset is known without a byte of the file leaving the sandbox.
 */
const skipLines = `exec {file}<"$FILE" || exit 1
head -n 1 <&$file >/dev/null && read -r _ first </proc/self/fdinfo/$file || exit 1
head -n "$MORE" <&$file >/dev/null && read -r _ after </proc/self/fdinfo/$file || exit 1
echo "$first $after"`

/** Counts no further than the file went when the call began: it may grow faster than it is read. */
const countNewlines = `head -c "$SIZE" -- "$FILE" | wc -l`

/**
 * Where a line of a big file starts, found by the sandbox's own programs; null where those can't say
 * or are not to be trusted. `start` is how the file begins. Only where commands are real processes.
 */
async function findLineInside(
  source: FileSource,
  line: number,
  start: Uint8Array,
): Promise<LinePosition | null> {
  const firstLineEnd = start.indexOf(newline) + 1
  if (firstLineEnd === 0) return null
  const found = await numbersFrom(source, skipLines, { MORE: String(line - 2) })
  const [first, after] = found ?? []
  // A `head` that leaves the file somewhere else shows it at the first line already.
  if (first !== firstLineEnd || after === undefined) return null
  if (after < source.size) return { kind: "found", offset: after }
  const [newlines] = (await numbersFrom(source, countNewlines, {})) ?? []
  if (newlines === undefined) return null
  const [last] = await readBytes(source, source.size - 1, 1)
  return { kind: "past-end", totalLines: last === newline ? newlines : newlines + 1 }
}

async function numbersFrom(
  { workspace, path, size, signal }: FileSource,
  script: string,
  more: Readonly<Record<string, string>>,
): Promise<readonly number[] | null> {
  const env = { FILE: path, SIZE: String(size), LC_ALL: "C", ...more }
  const { exitCode, stdout } = await workspace.exec(script, { env, signal })
  const numbers = stdout.trim().split(" ")
  if (exitCode !== 0 || !numbers.every((number) => /^\d+$/.test(number))) return null
  return numbers.map(Number)
}

/** Where a line of a file starts, or how many there are. */
export type LinePosition =
  | { readonly kind: "found"; readonly offset: number }
  | { readonly kind: "past-end"; readonly totalLines: number }
