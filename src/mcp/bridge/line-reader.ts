/** Takes pieces of a stream and gives its lines, one at a time. */
export interface LineReader {
  /** False once a line was longer than it may be; nothing of it is kept. */
  push(piece: Uint8Array): boolean
}

const newline = 10

/** Lines of at most `mostBytes`, each handed over when it is whole. */
export function lineReader(mostBytes: number, onLine: (line: string) => void): LineReader {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer): boolean => {
    size += part.length
    if (size > mostBytes) {
      parts = []
      return false
    }
    if (part.length > 0) parts.push(part)
    return true
  }
  const finish = () => {
    const line = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    parts = []
    size = 0
    onLine(line?.toString("utf8") ?? "")
  }
  return {
    push(bytes) {
      const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      let start = 0
      for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
        if (!take(piece.subarray(start, end))) return false
        finish()
        start = end + 1
      }
      // Copied: who pushes may use the memory of its piece again.
      return take(Buffer.from(piece.subarray(start)))
    },
  }
}
