import type { Sound, Sounds } from "./sound.ts"

interface PcmDecoder {
  decode(piece: Uint8Array): Sound
  flush(): Sound
  free(): void
}

const pieceBytes = 64 * 1024

export async function* decodeWav(bytes: Uint8Array): Sounds {
  const { decoder } = await import("@audio/decode-wav")
  yield* decodePieces(decoder(), bytes)
}

export async function* decodeAiff(bytes: Uint8Array): Sounds {
  const { decoder } = await import("@audio/decode-aiff")
  yield* decodePieces(decoder(), bytes)
}

function* decodePieces(decoder: PcmDecoder, bytes: Uint8Array): Generator<Sound> {
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield decoder.decode(bytes.subarray(at, at + pieceBytes))
    }
    yield decoder.flush()
  } finally {
    decoder.free()
  }
}
