import { expect, it } from "vitest"
import { Resampler, speechRate } from "./resampler.ts"

function tone(rate: number, hertz: number, seconds: number): Float32Array {
  return new Float32Array(rate * seconds).map((_, at) =>
    Math.sin((2 * Math.PI * hertz * at) / rate),
  )
}

function resample(samples: Float32Array, rate: number, pieceLength: number): Float32Array {
  const resampler = new Resampler(rate)
  const parts: Float32Array[] = []
  for (let at = 0; at < samples.length; at += pieceLength) {
    parts.push(resampler.push(samples.subarray(at, at + pieceLength)))
  }
  parts.push(resampler.end())
  return Float32Array.from(parts.flatMap((part) => [...part]))
}

const loudest = (samples: Float32Array) =>
  samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0)

it.each([8_000, 16_000, 22_050, 48_000])(
  "Y14: a tone at %i samples a second stays the tone it is, in pieces of any length",
  (rate) => {
    const whole = resample(tone(rate, 440, 1), rate, rate)
    expect(whole).toHaveLength(speechRate)
    const expected = tone(speechRate, 440, 1)
    const middle = (samples: Float32Array) => samples.subarray(200, -200)
    const difference = middle(whole).map((sample, at) => sample - (middle(expected)[at] ?? 0))
    expect(loudest(difference)).toBeLessThan(0.01)
    const inPieces = resample(tone(rate, 440, 1), rate, 1_237)
    expect(Buffer.compare(Buffer.from(inPieces.buffer), Buffer.from(whole.buffer))).toBe(0)
  },
)

it("Y14: a tone too high for the new rate is gone instead of coming back as another", () => {
  const high = resample(tone(48_000, 15_000, 1), 48_000, 10_000)
  expect(loudest(high.subarray(200, -200))).toBeLessThan(0.02)
})
