const blockBytes = 512
const sizeField = { start: 124, end: 136 } as const
const typeField = 156

/**
 * Counts what the regular files of an archive hold, while it passes as it is: only its headers are looked at, and
 * nothing of it is believed.
 */
export function meterArchive() {
  let counted = 0
  /** Bytes until the next header. */
  let left = 0
  const header = new Uint8Array(blockBytes)
  let filled = 0

  function take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(left, chunk.length - at)
      left -= skipped
      at += skipped
      if (at === chunk.length) return
      const part = chunk.subarray(at, at + blockBytes - filled)
      header.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < blockBytes) return
      filled = 0
      const size = sizeOf(header)
      if (isRegular(header)) counted += size
      left = Math.ceil(size / blockBytes) * blockBytes
    }
  }

  const stream = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      take(chunk)
      controller.enqueue(chunk)
    },
  })
  return { stream, bytes: () => counted }
}

function isRegular(header: Uint8Array): boolean {
  const type = String.fromCharCode(header[typeField] ?? 0)
  return type === "0" || type === "7" || (type === "\0" && header[0] !== 0)
}

/** Octal digits; or, for what they can't say, a number in base 256 behind a first byte of 128. */
function sizeOf(header: Uint8Array): number {
  const field = header.subarray(sizeField.start, sizeField.end)
  if ((field[0] ?? 0) & 0x80) return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
  const digits = new TextDecoder("latin1").decode(field).replace(/[^0-7].*$/s, "")
  return Number.parseInt(digits || "0", 8)
}
