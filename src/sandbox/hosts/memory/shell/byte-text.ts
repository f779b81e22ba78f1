const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Byte 0x80 is U+DC80 and so on up to 0xFF: halves of surrogate pairs, which no valid text contains. */
const escapedByte = 0xdc00

/** Text that can hold any bytes: a byte that is no UTF-8 is escaped, and comes back when encoded. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return decodeEscaping(bytes)
  }
}

export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  return text.isWellFormed() ? encoder.encode(text) : encodeEscaped(text)
}

/** Into one buffer: pieces of megabytes of binary take more memory than a thread may use. */
function decodeEscaping(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    const point = first < 0x80 ? first : characterAt(bytes, at)
    if (point < 0) {
      units[length++] = escapedByte + first
      at += 1
    } else if (point < 0x10000) {
      units[length++] = point
      at += sizeOf(point)
    } else {
      units[length++] = 0xd7c0 + (point >> 10)
      units[length++] = 0xdc00 + (point & 0x3ff)
      at += 4
    }
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString("utf16le")
}

/** The UTF-8 character of several bytes at `at`; -1 when there is none. */
function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  // Looked at first because most bytes of a binary end here.
  if (first < 0xc2 || first > 0xf4 || !isContinued(bytes, at + 1)) return -1
  let point = ((first & 0x1f) << 6) | rest(bytes, at + 1)
  if (first < 0xe0) return point
  if (!isContinued(bytes, at + 2)) return -1
  point = ((point & 0x3ff) << 6) | rest(bytes, at + 2)
  if (first < 0xf0) return point < 0x800 || isSurrogate(point) ? -1 : point
  if (!isContinued(bytes, at + 3)) return -1
  point = ((point & 0x7fff) << 6) | rest(bytes, at + 3)
  return point < 0x10000 || point > 0x10ffff ? -1 : point
}

function isContinued(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80
}

function rest(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) & 0x3f
}

function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff
}

function sizeOf(point: number): number {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}

/** What stands for half a pair that is no escaped byte. */
const replacement = 0xfffd

function encodeEscaped(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(3 * text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const read = text.codePointAt(at) ?? 0
    if (read > 0xffff) at += 1
    if (read >= escapedByte + 0x80 && read <= escapedByte + 0xff) {
      bytes[length++] = read - escapedByte
      continue
    }
    const point = isSurrogate(read) ? replacement : read
    const size = sizeOf(point)
    // The first byte says how many there are; each further one has six bits.
    bytes[length] = size === 1 ? point : ((0xf00 >> size) & 0xff) | (point >> (6 * (size - 1)))
    for (let next = 1; next < size; next += 1) {
      bytes[length + next] = 0x80 | ((point >> (6 * (size - 1 - next))) & 0x3f)
    }
    length += size
  }
  return bytes.slice(0, length)
}

/**
 * The shell stores all output as text, and would turn bytes that are not UTF-8 into other bytes. In
 * its own thread the global text codecs preserve them, so whatever passes through the shell stays exact.
 */
export function installByteText(realm: typeof globalThis): void {
  class ByteTextDecoder extends realm.TextDecoder {
    override decode(
      ...[input, options]: Parameters<InstanceType<typeof TextDecoder>["decode"]>
    ): string {
      if (this.encoding !== "utf-8" || options?.stream || !(input instanceof Uint8Array)) {
        return super.decode(input, options)
      }
      return textOfBytes(input)
    }
  }
  class ByteTextEncoder extends realm.TextEncoder {
    override encode(input = ""): Uint8Array<ArrayBuffer> {
      return bytesOfText(input)
    }
  }
  realm.TextDecoder = ByteTextDecoder
  realm.TextEncoder = ByteTextEncoder
}
