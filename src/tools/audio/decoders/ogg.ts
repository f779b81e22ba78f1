/** The parts of a stream of sound, as its codec knows them. */
export type Packets = Iterable<Uint8Array>

interface Page {
  readonly flags: number
  readonly serial: number
  readonly segments: readonly Uint8Array[]
}

const continues = 1
const isFirst = 2
const isLast = 4

const capture = Buffer.from("OggS")
const headBytes = 27
const segmentBytes = 255
const segmentsMost = 255

/** The packets of the first stream of sound, and of one that follows its end. RFC 3533. */
export function* oggPackets(bytes: Uint8Array): Generator<Uint8Array> {
  let serial: number | null = null
  let parts: Uint8Array[] = []
  for (const page of oggPages(bytes)) {
    if (serial === null && page.flags & isFirst && codecOf(page.segments[0])) serial = page.serial
    if (page.serial !== serial) continue
    if (!(page.flags & continues)) parts = []
    for (const segment of page.segments) {
      parts.push(segment)
      if (segment.length === segmentBytes) continue
      yield Buffer.concat(parts)
      parts = []
    }
    if (page.flags & isLast) serial = null
  }
}

function* oggPages(bytes: Uint8Array): Generator<Page> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = file.indexOf(capture)
  while (at >= 0 && at + headBytes <= file.length) {
    const dataAt = at + headBytes + (file[at + 26] ?? 0)
    const segments: Uint8Array[] = []
    let end = dataAt
    for (const length of file.subarray(at + headBytes, dataAt)) {
      segments.push(file.subarray(end, end + length))
      end += length
    }
    // A page that the file ends within is left out.
    if (end > file.length) return
    yield { flags: file[at + 5] ?? 0, serial: file.readUInt32LE(at + 14), segments }
    at = file.indexOf(capture, end)
  }
}

export type Codec = "opus" | "vorbis"

/** By the first packet of a stream. Null for what is no sound, or of another codec. */
export function codecOf(packet: Uint8Array | undefined): Codec | null {
  const start = Buffer.from(packet?.subarray(0, 8) ?? []).toString("latin1")
  if (start === "OpusHead") return "opus"
  return start.startsWith("\x01vorbis") ? "vorbis" : null
}

/** A file of these packets. Checksums are left out: only this process reads it. */
export function wrapInOgg(packets: readonly Uint8Array[]): Uint8Array {
  const pages = packets.flatMap((packet, index) => {
    const pageBytes = segmentBytes * segmentsMost
    const count = Math.floor(packet.length / pageBytes) + 1
    return Array.from({ length: count }, (_, number) => {
      const part = packet.subarray(number * pageBytes, (number + 1) * pageBytes)
      return oggPage(part, (index === 0 ? isFirst : 0) | (number > 0 ? continues : 0))
    })
  })
  return Buffer.concat(pages)
}

function oggPage(part: Uint8Array, flags: number): Buffer {
  const whole = Math.floor(part.length / segmentBytes)
  const lengths = Array.from({ length: whole }, () => segmentBytes)
  if (whole < segmentsMost) lengths.push(part.length - whole * segmentBytes)
  const head = Buffer.alloc(headBytes)
  head.set(capture)
  head[5] = flags
  // Where it is in the sound is not known.
  head.fill(0xff, 6, 14)
  head[26] = lengths.length
  return Buffer.concat([head, Buffer.from(lengths), part])
}
