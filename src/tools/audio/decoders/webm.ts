import { codecOf, type Packets } from "./ogg.ts"

/** The elements of Matroska that lead to sound. RFC 9559. */
const ids = {
  segment: 0x18538067,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  cluster: 0x1f43b675,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
}
const isParent = new Set([ids.segment, ids.tracks, ids.track, ids.cluster, ids.blockGroup])
const isBlock = new Set([ids.block, ids.simpleBlock])
const lacing = 0x06

interface Track {
  number: number
  codec: string
  setup: Uint8Array
}

/** The packets of the file's first track of Opus or Vorbis, those that describe it before the others. */
export function* webmPackets(bytes: Uint8Array): Generator<Uint8Array> {
  const tracks: Track[] = []
  let chosen: Track | undefined
  for (const { id, data } of elementsOf(bytes)) {
    if (id === ids.track) tracks.push({ number: 0, codec: "", setup: new Uint8Array() })
    const track = tracks.at(-1)
    if (track && id === ids.trackNumber) track.number = data.at(-1) ?? 0
    if (track && id === ids.codecId) track.codec = Buffer.from(data).toString("latin1")
    if (track && id === ids.codecPrivate) track.setup = data
    if (!isBlock.has(id)) continue
    if (!chosen) {
      chosen = tracks.find(({ codec }) => /^A_(OPUS|VORBIS)/.test(codec))
      if (!chosen) throw new Error("it has no sound that is Opus or Vorbis")
      yield* setupPackets(chosen)
    }
    const packet = packetOf(data, chosen.number)
    if (packet) yield packet
  }
}

/** Elements in the order of the file, what is in a parent after it: those of live recordings don't say how long they are. */
function* elementsOf(bytes: Uint8Array): Generator<{ id: number; data: Uint8Array }> {
  let at = 0
  while (at < bytes.length) {
    const id = readNumber(bytes, at, "id")
    const size = id && readNumber(bytes, at + id.length, "size")
    if (!size) return
    const dataAt = at + id.length + size.length
    const end = isParent.has(id.value) ? dataAt : dataAt + size.value
    yield { id: id.value, data: bytes.subarray(dataAt, end) }
    at = end
  }
}

/** A number that says by its first bits how long it is; these are a part of an id. */
function readNumber(bytes: Uint8Array, at: number, kind: "id" | "size") {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (first === 0 || at + length > bytes.length) return null
  let value = kind === "id" ? first : first & (0x7f >> (length - 1))
  for (const byte of bytes.subarray(at + 1, at + length)) value = value * 256 + byte
  return { value, length }
}

function packetOf(block: Uint8Array, trackNumber: number): Uint8Array | null {
  const track = readNumber(block, 0, "size")
  if (track?.value !== trackNumber) return null
  const flagsAt = track.length + 2
  if ((block[flagsAt] ?? 0) & lacing) throw new Error("it has several packets in one block")
  return block.subarray(flagsAt + 1)
}

/** Opus is described by one packet; the three of Vorbis follow each other after their lengths. */
function setupPackets({ setup }: Track): Packets {
  if (codecOf(setup)) return [setup]
  const lengths: number[] = []
  let at = 1
  for (let index = 0; index < 2; index += 1) {
    let length = 0
    while (setup[at] === 255) {
      length += 255
      at += 1
    }
    lengths.push(length + (setup[at] ?? 0))
    at += 1
  }
  const [first = 0, second = 0] = lengths
  return [
    setup.subarray(at, at + first),
    setup.subarray(at + first, at + first + second),
    setup.subarray(at + first + second),
  ]
}
