import type { ToolFailure } from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import { invalidArgument } from "../arguments.ts"
import { audioLimits } from "../limits.ts"
import { type DecoderName, decoders } from "./decoders/decoders.ts"
import { Resampler } from "./resampler.ts"

export interface EncodedAudio {
  readonly bytes: Uint8Array
  readonly decoder: DecoderName
  readonly field: "path" | "data"
}

/**
 * The sound as one channel at the rate that the model hears. Unpacked piece by piece, so that a
 * small file that holds days of silence is refused before it fills the memory.
 */
export async function decodeAudio(audio: EncodedAudio): Promise<Float32Array> {
  const parts: Float32Array[] = []
  for await (const samples of resampled(audio)) parts.push(samples)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length === 0) throw refuse(audio, "The recording is damaged or empty: no sound can be read.")
  const whole = new Float32Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

async function* resampled(audio: EncodedAudio): AsyncGenerator<Float32Array> {
  let resampler: Resampler | null = null
  let seconds = 0
  for await (const { channelData, sampleRate } of decoded(audio)) {
    const length = channelData[0]?.length ?? 0
    if (length === 0) continue
    requireRate(sampleRate, audio)
    seconds += length / sampleRate
    if (seconds > audioLimits.seconds) {
      throw refuse(
        audio,
        `The recording is longer than ${audioLimits.seconds} seconds. Cut it first.`,
      )
    }
    resampler ??= new Resampler(sampleRate)
    yield resampler.push(mixed(channelData))
  }
  if (resampler) yield resampler.end()
}

async function* decoded(audio: EncodedAudio) {
  try {
    yield* decoders[audio.decoder](audio.bytes)
  } catch (error) {
    const reason = errorText(error).slice(0, 150)
    throw refuse(audio, `The recording is damaged or of an unknown kind: ${reason}.`)
  }
}

/** All channels as one; a sample that is not a number is silence. */
function mixed(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels
  return first.map((_, index) => {
    let sum = 0
    for (const channel of channels) sum += channel[index] ?? 0
    const sample = sum / channels.length
    return Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0
  })
}

function requireRate(rate: number, audio: EncodedAudio): void {
  const { sampleRateLeast, sampleRateMost } = audioLimits
  if (rate >= sampleRateLeast && rate <= sampleRateMost) return
  throw refuse(
    audio,
    `The recording says it has ${rate} samples a second, which is not a rate of sound.`,
  )
}

function refuse({ field }: EncodedAudio, message: string): ToolFailure {
  return invalidArgument(field, message, "a recording of speech")
}
