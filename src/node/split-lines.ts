const newline = 10

/**
 * Splits a stream of chunks into lines, or at another separator. A line over `mostBytes` is reported as null at once,
 * and its rest is skipped.
 */
export function splitLines(
  mostBytes: number,
  separator: number = newline,
): (piece: Uint8Array) => (string | null)[] {
  let parts: Buffer[] = []
  let size = 0
  let lines: (string | null)[] = []
  const take = (part: Buffer, copy: (part: Buffer) => Buffer = (own) => own) => {
    const wasTooLong = size > mostBytes
    size += part.length
    if (size <= mostBytes) parts.push(copy(part))
    else if (!wasTooLong) {
      parts = []
      lines.push(null)
    }
  }
  const finish = () => {
    const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    if (size <= mostBytes) lines.push(whole?.toString("utf8") ?? "")
    parts = []
    size = 0
  }
  return (bytes) => {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    lines = []
    let start = 0
    for (let end = piece.indexOf(separator); end !== -1; end = piece.indexOf(separator, start)) {
      take(piece.subarray(start, end))
      finish()
      start = end + 1
    }
    // Copied: the caller may reuse the chunk's memory.
    if (start < piece.length) take(piece.subarray(start), Buffer.from)
    return lines
  }
}
