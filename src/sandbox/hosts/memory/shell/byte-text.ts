const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Byte 0x80 is U+DC80 and so on up to 0xFF: halves of surrogate pairs, which no valid text contains. */
const escapedByte = 0xdc00
const replacement = 0xfffd

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

/** Unit by unit: a regular expression over megabytes of binary takes more memory than a thread may use. */
function decodeEscaping(bytes: Uint8Array): string {
  const units = Buffer.alloc(2 * bytes.length)
  let length = 0
  const push = (unit: number) => {
    length = units.writeUInt16LE(unit, length)
  }
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at)
    if (size === 0) {
      push(escapedByte + (bytes[at] ?? 0))
      at += 1
      continue
    }
    const point = codePoint(bytes, at, size)
    if (point > 0xffff) {
      push(0xd7c0 + (point >> 10))
      push(0xdc00 + (point & 0x3ff))
    } else push(point)
    at += size
  }
  return units.toString("utf16le", 0, length)
}

function encodeEscaped(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(3 * text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    let point = text.codePointAt(at) ?? replacement
    if (point >= escapedByte + 0x80 && point <= escapedByte + 0xff) {
      bytes[length] = point - escapedByte
      length += 1
      continue
    }
    if (point > 0xffff) at += 1
    else if (point >= 0xd800 && point <= 0xdfff) point = replacement
    length = writePoint(bytes, length, point)
  }
  return bytes.slice(0, length)
}

function writePoint(bytes: Uint8Array, at: number, point: number): number {
  const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  bytes[at] = size === 1 ? point : ((0xf00 >> size) & 0xff) | (point >> (6 * (size - 1)))
  for (let next = 1; next < size; next += 1) {
    bytes[at + next] = 0x80 | ((point >> (6 * (size - 1 - next))) & 0x3f)
  }
  return at + size
}

function codePoint(bytes: Uint8Array, at: number, size: number): number {
  const first = bytes[at] ?? 0
  let point = size === 1 ? first : first & (0x7f >> size)
  for (let next = 1; next < size; next += 1) point = (point << 6) | ((bytes[at + next] ?? 0) & 0x3f)
  return point
}

/** How many bytes the UTF-8 character at `at` has; 0 when there is none. */
function characterSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (size === 0) return 0
  const [low, high] = secondByteRange(first)
  const second = bytes[at + 1] ?? 0
  if (second < low || second > high) return 0
  for (let next = at + 2; next < at + size; next += 1) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0
  }
  return size
}

/** Rules out characters written longer than needed, surrogates, and what lies beyond U+10FFFF. */
function secondByteRange(first: number): readonly [number, number] {
  switch (first) {
    case 0xe0:
      return [0xa0, 0xbf]
    case 0xed:
      return [0x80, 0x9f]
    case 0xf0:
      return [0x90, 0xbf]
    case 0xf4:
      return [0x80, 0x8f]
    default:
      return [0x80, 0xbf]
  }
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
