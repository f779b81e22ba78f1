import { expect, it } from "vitest"
import type { Entry } from "./card.ts"
import { type Draft, withoutRecorded, withText } from "./draft.ts"

const entry = (sequence: number, kind: string, role?: string): Entry => {
  return { sequence, kind, parent: null, at_ms: 1, body: { message: { role } } }
}
const write = (draft: Draft, after: number, text: string, isWhole = false) =>
  withText(draft, { after, text, is_whole: isWhole })

it("X4: what a model writes is dropped when it is recorded, and what it writes next stays", () => {
  const first = write(write([], 4, "On"), 4, "e")
  expect(first).toEqual([{ after: 4, text: "One" }])
  const second = write(first, 6, "Two")
  expect(withoutRecorded(second, entry(5, "call"))).toEqual(second)
  expect(withoutRecorded(second, entry(5, "message", "user"))).toEqual(second)
  expect(withoutRecorded(second, entry(6, "message", "assistant"))).toEqual([
    { after: 6, text: "Two" },
  ])
  expect(withoutRecorded(second, entry(9, "run-ended"))).toEqual([])
})

it("X4: a stream that is opened again begins with the whole text, which is there once", () => {
  const known = write([], 4, "One")
  expect(write(known, 4, "One t", true)).toEqual([{ after: 4, text: "One t" }])
})
