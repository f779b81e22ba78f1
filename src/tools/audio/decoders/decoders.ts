import { decodeFlac } from "./flac.ts"
import { decodeMp3 } from "./mp3.ts"
import { codecOf, oggPackets, type Packets } from "./ogg.ts"
import { decodeOpus } from "./opus.ts"
import { decodeAiff, decodeWav } from "./pcm.ts"
import type { Sounds } from "./sound.ts"
import { decodeVorbis } from "./vorbis.ts"
import { webmPackets } from "./webm.ts"

/** By what packs the sound. */
export const decoders = {
  wav: decodeWav,
  aiff: decodeAiff,
  mp3: decodeMp3,
  flac: decodeFlac,
  ogg: (bytes) => decodePackets(() => oggPackets(bytes)),
  webm: (bytes) => decodePackets(() => webmPackets(bytes)),
} satisfies Readonly<Record<string, (bytes: Uint8Array) => Sounds>>

export type DecoderName = keyof typeof decoders

function decodePackets(read: () => Packets): Sounds {
  const [first] = read()
  switch (codecOf(first)) {
    case "opus":
      return decodeOpus(read())
    case "vorbis":
      return decodeVorbis(read())
    case null:
      throw new Error("it has no sound that is Opus or Vorbis")
  }
}
