import { type FileSource, readBytes } from "./file-source.ts"
import type { LinePosition } from "./line-position.ts"

const newline = 0x0a

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
export async function findLineInside(
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
