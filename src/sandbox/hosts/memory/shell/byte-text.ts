import { isUtf8 } from "node:buffer"

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
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const units = Buffer.alloc(2 * bytes.length)
  let length = 0
  let start = 0
  const flush = (end: number) => {
    if (end > start) length += units.write(source.toString("utf8", start, end), length, "utf16le")
  }
  for (let at = 0; at < source.length; ) {
    const size = characterSize(source, at)
    at += Math.max(size, 1)
    if (size > 0) continue
    flush(at - 1)
    length = units.writeUInt16LE(escapedByte + (source[at - 1] ?? 0), length)
    start = at
  }
  flush(source.length)
  return units.toString("utf16le", 0, length)
}

/** How many bytes the UTF-8 character at `at` has; 0 when there is none. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  // Looked at here because most bytes of a binary end here.
  if (first < 0xc2 || first > 0xf4 || ((bytes[at + 1] ?? 0) & 0xc0) !== 0x80) return 0
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return isUtf8(bytes.subarray(at, at + size)) ? size : 0
}

function encodeEscaped(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(3 * text.length)
  let length = 0
  let start = 0
  const flush = (end: number) => {
    if (end > start) length += bytes.write(text.slice(start, end), length)
  }
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0
    if (point > 0xffff) at += 1
    if (point < escapedByte + 0x80 || point > escapedByte + 0xff) continue
    flush(at)
    length = bytes.writeUInt8(point - escapedByte, length)
    start = at + 1
  }
  flush(text.length)
  return new Uint8Array(bytes.subarray(0, length))
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
