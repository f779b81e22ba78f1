import { expect, it } from "vitest"
import { splitLines } from "./split-lines.ts"

it("lines come out of pieces, also where a piece ends inside a character or its memory is used again", () => {
  const split = splitLines(100)
  const piece = Buffer.from("one\ntwo\nthr€")
  const first = piece.subarray(0, piece.length - 1)
  expect(split(first)).toEqual(["one", "two"])
  const rest = Buffer.concat([piece.subarray(piece.length - 1), Buffer.from("e\n\nfour")])
  first.fill("x")
  expect(split(rest)).toEqual(["thr€e", ""])
  expect(split(Buffer.from("\n"))).toEqual(["four"])
})

it("a line that is too long is told once, before its end, and the next one is read", () => {
  const split = splitLines(4)
  expect(split(Buffer.from("1234\n123"))).toEqual(["1234"])
  expect(split(Buffer.from("45"))).toEqual([null])
  expect(split(Buffer.from("6".repeat(1_000)))).toEqual([])
  expect(split(Buffer.from("7\nok\n12345\nok\n"))).toEqual(["ok", null, "ok"])
})
