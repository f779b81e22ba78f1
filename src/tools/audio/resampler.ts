/** What the speech model hears: samples a second. */
export const speechRate = 16_000

/** Zero crossings of the filter on each side: more are slower and keep more of the highest tones. */
const crossings = 12

/** Brings sound of any rate to `speechRate`, piece by piece, without tones that were not there. */
export class Resampler {
  readonly #rate: number
  /** Below half of the lower rate; what lies above would come back as noise. */
  readonly #cutoff: number
  readonly #reach: number
  /** By how far an output sample lies behind an input sample, in parts of `speechRate`. */
  readonly #weights = new Map<number, Float32Array>()
  /** Input that is still needed; its first sample is number `#start`. */
  #kept = new Float32Array()
  #start = 0
  /** The number of the next output sample. */
  #next = 0

  constructor(rate: number) {
    this.#rate = Math.round(rate)
    this.#cutoff = Math.min(1, speechRate / this.#rate)
    this.#reach = Math.ceil(crossings / this.#cutoff)
  }

  push(samples: Float32Array): Float32Array {
    const joined = new Float32Array(this.#kept.length + samples.length)
    joined.set(this.#kept)
    joined.set(samples, this.#kept.length)
    this.#kept = joined
    return this.#produce(this.#start + joined.length - this.#reach)
  }

  /** What is left once no more input comes. */
  end(): Float32Array {
    return this.#produce(this.#start + this.#kept.length)
  }

  /** Every output sample that lies before this input sample and was not given yet. */
  #produce(inputEnd: number): Float32Array {
    const until = Math.ceil((inputEnd * speechRate) / this.#rate)
    const output = new Float32Array(Math.max(0, until - this.#next))
    for (let index = 0; index < output.length; index += 1) {
      output[index] = this.#sample(this.#next + index)
    }
    this.#next += output.length
    const needed = Math.floor((this.#next * this.#rate) / speechRate) - this.#reach
    const drop = Math.max(0, Math.min(needed - this.#start, this.#kept.length))
    this.#kept = this.#kept.slice(drop)
    this.#start += drop
    return output
  }

  #sample(number: number): number {
    const scaled = number * this.#rate
    const phase = scaled % speechRate
    const nearest = (scaled - phase) / speechRate - this.#start
    const weights = this.#weightsAt(phase)
    let sum = 0
    for (let index = 0; index < weights.length; index += 1) {
      const sample = this.#kept[nearest - this.#reach + 1 + index]
      if (sample !== undefined) sum += sample * (weights[index] ?? 0)
    }
    return sum
  }

  #weightsAt(phase: number): Float32Array {
    const known = this.#weights.get(phase)
    if (known) return known
    const weights = new Float32Array(2 * this.#reach).map((_, index) =>
      this.#weight(index - this.#reach + 1 - phase / speechRate),
    )
    this.#weights.set(phase, weights)
    return weights
  }

  /** A sinc under a Hann window. */
  #weight(distance: number): number {
    const angle = Math.PI * distance * this.#cutoff
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / this.#reach)
    return this.#cutoff * sinc * window
  }
}
