const newline = 10

/**
 * Puts lines together out of pieces. One that is too long is null as soon as that is known; nothing of
 * it is kept, and the rest of it is passed over.
 */
export function splitLines(mostBytes: number): (piece: Uint8Array) => (string | null)[] {
  let parts: Buffer[] = []
  let size = 0
  let lines: (string | null)[] = []
  const take = (part: Buffer, keep: (part: Buffer) => Buffer = (own) => own) => {
    const wasTooLong = size > mostBytes
    size += part.length
    if (size <= mostBytes) parts.push(keep(part))
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
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      take(piece.subarray(start, end))
      finish()
      start = end + 1
    }
    // Copied: who brings pieces may use their memory again.
    if (start < piece.length) take(piece.subarray(start), Buffer.from)
    return lines
  }
}
