import fc from "fast-check"
import { expect, it } from "vitest"
import { BoundedBytes } from "./index.ts"

const look = (kept: BoundedBytes) => ({
  head: Buffer.from(kept.head()).toString("latin1"),
  tail: Buffer.from(kept.tail()).toString("latin1"),
  omitted: kept.omitted,
  total: kept.total,
})

function keep(limit: number, ...chunks: string[]) {
  const kept = new BoundedBytes(limit)
  for (const chunk of chunks) kept.push(Buffer.from(chunk, "latin1"))
  return look(kept)
}

it("Y13: keeps a short stream whole", () => {
  expect(keep(10)).toEqual({ head: "", tail: "", omitted: 0, total: 0 })
  expect(keep(10, "abc")).toEqual({ head: "abc", tail: "", omitted: 0, total: 3 })
  expect(keep(10, "abcde", "fghij")).toEqual({
    head: "abcde",
    tail: "fghij",
    omitted: 0,
    total: 10,
  })
})

it("Y13: keeps the first and the last bytes of a long one and counts the rest", () => {
  expect(keep(4, "abcdefghij")).toEqual({ head: "ab", tail: "ij", omitted: 6, total: 10 })
  expect(keep(5, "abc", "defgh", "ij")).toEqual({ head: "abc", tail: "ij", omitted: 5, total: 10 })
  expect(keep(1, "abc")).toEqual({ head: "a", tail: "", omitted: 2, total: 3 })
  expect(keep(0, "abc", "def")).toEqual({ head: "", tail: "", omitted: 6, total: 6 })
})

it("Y13: head, what was dropped, and tail are the stream, however it was cut into chunks", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(chunks, fc.nat(60), (parts, limit) => {
      const kept = new BoundedBytes(limit)
      for (const part of parts) kept.push(part)
      const whole = Buffer.concat(parts)
      const head = Buffer.from(kept.head())
      const tail = Buffer.from(kept.tail())
      expect(kept.total).toBe(whole.length)
      expect(head).toEqual(whole.subarray(0, head.length))
      expect(tail).toEqual(whole.subarray(whole.length - tail.length))
      expect(head.length + kept.omitted + tail.length).toBe(whole.length)
      expect(head.length + tail.length).toBe(Math.min(limit, whole.length))
    }),
    { numRuns: 1_000 },
  )
})

it("Y13: found defect: a buffer that its owner uses again does not change what was kept", () => {
  const kept = new BoundedBytes(10)
  const buffer = Buffer.from("abcdefgh")
  kept.push(buffer)
  buffer.fill("x")
  expect(look(kept)).toEqual({ head: "abcde", tail: "fgh", omitted: 0, total: 8 })
})

it("Y13: found defect: a flood of single bytes needs no object for each", () => {
  const kept = new BoundedBytes(4_000_000)
  const byte = new Uint8Array([65])
  const before = process.memoryUsage()
  for (let count = 0; count < 3_000_000; count += 1) kept.push(byte)
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  const grown = heapUsed - before.heapUsed + arrayBuffers - before.arrayBuffers
  expect(kept.omitted).toBe(0)
  expect(grown).toBeLessThan(60_000_000)
})
