import type { OpusDecoder } from "opus-decoder"
import { codecOf, type Packets } from "./ogg.ts"
import type { Sounds } from "./sound.ts"

/** A packet holds up to 120 ms. */
const packetsAtOnce = 50

/** The first packet describes the sound. There is another one where a second recording follows in the file. */
export async function* decodeOpus(packets: Packets): Sounds {
  const opus = await import("opus-decoder")
  let decoder: OpusDecoder | null = null
  try {
    for (const some of groupsOf(packets)) {
      const [head] = some
      if (codecOf(head) === "opus" && head) {
        decoder?.free()
        decoder = new opus.OpusDecoder(optionsFrom(head))
        await decoder.ready
      } else if (decoder) {
        yield decoder.decodeFrames(some)
      }
    }
  } finally {
    decoder?.free()
  }
}

/** Many are decoded faster together. A description is a group of its own, and a comment is in none. */
function* groupsOf(packets: Packets): Generator<Uint8Array[]> {
  let group: Uint8Array[] = []
  for (const packet of packets) {
    const isHead = codecOf(packet) === "opus"
    if (isHead || group.length === packetsAtOnce) {
      yield group
      group = []
    }
    if (isHead) yield [packet]
    else if (!isComment(packet)) group.push(packet)
  }
  yield group
}

function isComment(packet: Uint8Array): boolean {
  return Buffer.from(packet.subarray(0, 8)).toString("latin1") === "OpusTags"
}

/** RFC 7845, section 5.1. */
function optionsFrom(head: Uint8Array) {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const channels = view.getUint8(9)
  const options = { channels, preSkip: view.getUint16(10, true) }
  const hasMapping = view.getUint8(18) !== 0
  if (!hasMapping) return options
  return {
    ...options,
    streamCount: view.getUint8(19),
    coupledStreamCount: view.getUint8(20),
    channelMappingTable: [...head.subarray(21, 21 + channels)],
  }
}
