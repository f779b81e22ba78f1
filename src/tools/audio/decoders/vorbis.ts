import { type Packets, wrapInOgg } from "./ogg.ts"
import type { Sounds } from "./sound.ts"

const headerCount = 3
/** A packet holds up to 8,192 samples, and speech some thousand. */
const packetsAtOnce = 200

/**
 * The library decodes whole files, and an hour of sound would take more memory than there is: so it is given one
 * small file after the other. Sound comes from each packet together with the one before, which is there twice.
 */
export async function* decodeVorbis(packets: Packets): Sounds {
  const { StbVorbis } = await import("stb-vorbis")
  await StbVorbis.ready
  const headers: Uint8Array[] = []
  let some: Uint8Array[] = []
  const decodeSome = () => {
    const { channels, sampleRate } = StbVorbis.decode(wrapInOgg([...headers, ...some]))
    some = some.slice(-1)
    return { channelData: channels, sampleRate }
  }
  for (const packet of packets) {
    if (headers.length < headerCount) headers.push(packet)
    else some.push(packet)
    if (some.length > packetsAtOnce) yield decodeSome()
  }
  if (some.length > 1) yield decodeSome()
}
