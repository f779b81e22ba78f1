import { expect, it } from "vitest"
import { rateLimit } from "./rate-limit.ts"

it("who sends too much waits, and who has rested may send more at once", () => {
  let now = 0
  const clock = { now: () => now, after: () => () => {} }
  const hasRoom = rateLimit({ everySecond: 2, atOnce: 3 }, clock)
  const tries = (count: number) => Array.from({ length: count }, hasRoom).filter(Boolean).length
  expect(tries(10)).toBe(3)
  now += 1_000
  expect(tries(10)).toBe(2)
  now += 60_000
  expect(tries(10)).toBe(3)
})
