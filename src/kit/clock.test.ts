import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { systemClock } from "./index.ts"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const day = 86_400_000

it("Y12: calls back once, after the time and not before", () => {
  const callback = vi.fn()
  systemClock.after(1_000, callback)
  vi.advanceTimersByTime(999)
  expect(callback).toHaveBeenCalledTimes(0)
  vi.advanceTimersByTime(10_000)
  expect(callback).toHaveBeenCalledTimes(1)
})

it("Y12: waits 60 days, which is longer than setTimeout can", () => {
  const callback = vi.fn()
  systemClock.after(60 * day, callback)
  vi.advanceTimersByTime(60 * day - 1)
  expect(callback).toHaveBeenCalledTimes(0)
  vi.advanceTimersByTime(1)
  expect(callback).toHaveBeenCalledTimes(1)
})

it("Y12: can be cancelled at any time, also in the middle of a long wait", () => {
  const callback = vi.fn()
  systemClock.after(1_000, callback)()
  const cancel = systemClock.after(60 * day, callback)
  vi.advanceTimersByTime(40 * day)
  cancel()
  vi.advanceTimersByTime(40 * day)
  expect(callback).toHaveBeenCalledTimes(0)
  expect(vi.getTimerCount()).toBe(0)
})

it("Y12: a time that is over calls back at once, but never before the caller goes on", () => {
  const callback = vi.fn()
  systemClock.after(-5, callback)
  expect(callback).toHaveBeenCalledTimes(0)
  vi.advanceTimersByTime(0)
  expect(callback).toHaveBeenCalledTimes(1)
})

it("Y12: tells the time in milliseconds", () => {
  vi.setSystemTime(new Date("2026-01-01T00:00:00Z"))
  expect(systemClock.now()).toBe(Date.parse("2026-01-01T00:00:00Z"))
})
