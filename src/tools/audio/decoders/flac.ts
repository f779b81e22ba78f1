import type { Sound, Sounds } from "./sound.ts"

/** The decoder's state once nothing more can be read: the end, or an error that it can't go on from. */
const ended = 4

export async function* decodeFlac(bytes: Uint8Array): Sounds {
  const flac = await loadFlac()
  const decoder = flac.create_libflac_decoder(false)
  const frames: Sound[] = []
  let at = 0
  try {
    flac.init_decoder_stream(
      decoder,
      (most) => {
        const buffer = bytes.slice(at, at + most)
        at += buffer.length
        return { buffer, readDataLength: buffer.length }
      },
      (channels, frame) => frames.push(soundOf(channels, frame)),
      // What is damaged is left out; a recording of which nothing is left is refused.
      () => {},
    )
    while (flac.FLAC__stream_decoder_get_state(decoder) < ended) {
      flac.FLAC__stream_decoder_process_single(decoder)
      yield* frames.splice(0)
    }
  } finally {
    flac.FLAC__stream_decoder_delete(decoder)
  }
}

async function loadFlac() {
  const { default: load } = await import("libflacjs")
  const flac = load("min")
  if (!flac.isReady()) {
    await new Promise<void>((resolve) => {
      flac.onready = () => resolve()
    })
  }
  return flac
}

interface Frame {
  readonly blocksize: number
  readonly sampleRate: number
  readonly bitsPerSample: number
}

function soundOf(channels: readonly Uint8Array[], frame: Frame): Sound {
  const { blocksize, sampleRate, bitsPerSample } = frame
  const full = 2 ** (bitsPerSample - 1)
  const channelData = channels.map(({ buffer, byteOffset, byteLength }) => {
    const bytes = Buffer.from(buffer, byteOffset, byteLength)
    const size = byteLength / blocksize
    const samples = new Float32Array(blocksize)
    for (let at = 0; at < blocksize; at += 1) samples[at] = bytes.readIntLE(at * size, size) / full
    return samples
  })
  return { channelData, sampleRate }
}
