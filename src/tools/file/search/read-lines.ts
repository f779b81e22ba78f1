import { limits } from "../../../contract/index.ts"
import { type FileSource, readChunks } from "../read/file-source.ts"

const decoder = new TextDecoder()
const newline = 0x0a

/** The lines with these numbers, read in chunks and only as far as the last of them. */
export async function readLines(
  source: FileSource,
  wanted: ReadonlySet<number>,
): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  const last = Math.max(0, ...wanted)
  let line = 1
  let parts: Uint8Array[] = []
  const finish = () => {
    if (wanted.has(line)) found.set(line, decode(parts))
    parts = []
    line += 1
  }
  for await (const chunk of readChunks(source)) {
    let from = 0
    while (line <= last && from < chunk.length) {
      const end = chunk.indexOf(newline, from)
      if (wanted.has(line)) keep(parts, chunk.subarray(from, end === -1 ? chunk.length : end))
      if (end !== -1) finish()
      from = end === -1 ? chunk.length : end + 1
    }
    if (line > last) return found
  }
  if (parts.length > 0) finish()
  return found
}

/** A line is shown cut, so its start is enough. */
function keep(parts: Uint8Array[], part: Uint8Array): void {
  const length = parts.reduce((sum, one) => sum + one.length, 0)
  const room = 4 * limits.search.lineCharacters + 4 - length
  if (room > 0) parts.push(part.slice(0, room))
}

function decode(parts: readonly Uint8Array[]): string {
  return decoder.decode(Buffer.concat(parts)).replace(/\r$/, "")
}
