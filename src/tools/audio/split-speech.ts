import { audioLimits } from "../limits.ts"
import { speechRate } from "./resampler.ts"

/** A run of samples, from `start` up to and without `end`. */
export interface Piece {
  readonly start: number
  readonly end: number
}

const frame = speechRate / 20
/** Quieter sound is not speech, and models hear words in silence. */
const silentLevel = 0.003
/** Kept before and after speech: words begin and end softly. */
const margin = 3 * frame
/** A piece is cut in its second half. */
const earliestCut = 0.5

/** Pieces that the model can hear at once, cut where it is most quiet and without the silence around them. */
export function splitSpeech(samples: Float32Array): readonly Piece[] {
  const most = audioLimits.pieceSeconds * speechRate
  const pieces: Piece[] = []
  let start = 0
  while (start < samples.length) {
    const isLast = samples.length - start <= most
    const end = isLast
      ? samples.length
      : quietest(samples, start + most * earliestCut, start + most)
    const spoken = withoutSilence(samples, start, end)
    if (spoken) pieces.push(spoken)
    start = end
  }
  return pieces
}

function quietest(samples: Float32Array, from: number, to: number): number {
  let best = to
  let bestLevel = Number.POSITIVE_INFINITY
  for (let at = Math.floor(from); at + frame <= to; at += frame) {
    const level = levelOf(samples, at)
    // The last of equals: longer pieces are understood better.
    if (level > bestLevel) continue
    best = at + frame / 2
    bestLevel = level
  }
  return best
}

/** Null where there is nothing to hear. */
function withoutSilence(samples: Float32Array, start: number, end: number): Piece | null {
  let first = -1
  let last = -1
  for (let at = start; at < end; at += frame) {
    if (levelOf(samples, at) <= silentLevel) continue
    if (first < 0) first = at
    last = at + frame
  }
  if (first < 0) return null
  return { start: Math.max(start, first - margin), end: Math.min(end, last + margin) }
}

/** The root of the mean square of one frame. */
function levelOf(samples: Float32Array, at: number): number {
  const part = samples.subarray(at, at + frame)
  let sum = 0
  for (const sample of part) sum += sample * sample
  return Math.sqrt(sum / Math.max(1, part.length))
}
