import { expect, it } from "vitest"
import { speechRate } from "./resampler.ts"
import { splitSpeech } from "./split-speech.ts"

/** Noise for the given seconds, silent at the given ones. */
function sound(seconds: number, silentAt: readonly number[] = []): Float32Array {
  return new Float32Array(seconds * speechRate).map((_, at) => {
    const isSilent = silentAt.some(
      (from) => at >= from * speechRate && at < (from + 1) * speechRate,
    )
    return isSilent ? 0 : ((at * 7919) % 100) / 200
  })
}
const inSeconds = (samples: Float32Array) =>
  splitSpeech(samples).map(({ start, end }) => [start / speechRate, end / speechRate])

it("Y14: a short recording is one piece, and silence none", () => {
  expect(inSeconds(sound(20))).toEqual([[0, 20]])
  expect(inSeconds(new Float32Array(60 * speechRate))).toEqual([])
  expect(inSeconds(new Float32Array())).toEqual([])
})

it("Y14: a long recording is cut where it is silent, and nothing of it but silence is lost", () => {
  const pieces = inSeconds(sound(70, [20, 45]))
  const expected = [
    [0, 20.15],
    [20.95, 45.15],
    [45.95, 70],
  ]
  expect(pieces).toEqual(expected.map((ends) => ends.map((end) => expect.closeTo(end, 1))))
})

it("Y14: silence before and after speech is left out", () => {
  const quiet = Array.from({ length: 10 }, (_, second) => second)
  expect(inSeconds(sound(15, [...quiet, 13, 14]))).toEqual([
    [expect.closeTo(9.85, 1), expect.closeTo(13.15, 1)],
  ])
})

it("Y14: a recording without any pause is cut all the same", () => {
  const pieces = inSeconds(sound(100))
  expect(pieces.every(([start = 0, end = 0]) => end - start <= 28)).toBe(true)
  expect(pieces.at(-1)?.[1]).toBe(100)
})
