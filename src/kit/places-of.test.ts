import fc from "fast-check"
import { expect, it } from "vitest"
import { hasText, placesOf, textPlaces, trimEndOf } from "./places-of.ts"

const texts = fc.stringMatching(/^[ab]{0,40}$/)
const searches = fc.stringMatching(/^[ab]{1,6}$/)

it("finds what String.indexOf finds, overlapping ones included, in texts and in lists", () => {
  fc.assert(
    fc.property(texts, searches, (whole, wanted) => {
      const expected = [...whole].flatMap((_, at) => (whole.startsWith(wanted, at) ? [at] : []))
      expect([...placesOf(whole, wanted)]).toEqual(expected)
      expect([...placesOf([...whole], [...wanted])]).toEqual(expected)
      expect([...textPlaces(whole, wanted)]).toEqual(expected)
      expect(hasText(whole, wanted)).toBe(expected.length > 0)
    }),
  )
})

it("takes a time that grows with the lengths, wherever what nearly matches everywhere differs", () => {
  const whole = "a".repeat(4_000_000)
  const half = "a".repeat(1_000_000)
  for (const wanted of [`${half}b${half}`, `${"a".repeat(300)}b${half}`, `b${half}`, `${half}b`]) {
    const started = process.cpuUsage()
    expect(hasText(whole, wanted)).toBe(false)
    const { user } = process.cpuUsage(started)
    expect(user).toBeLessThan(5_000_000)
  }
})

it("drops what an expression for the end of a text would drop", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[/.a]{0,12}$/), (text) => {
      expect(trimEndOf(text, "/")).toBe(text.replace(/\/+$/, ""))
      expect(trimEndOf(text, "./")).toBe(text.replace(/[./]+$/, ""))
    }),
  )
})
