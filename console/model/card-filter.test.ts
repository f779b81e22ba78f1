import { describe, expect, it } from "vitest"
import { type Card, cardFrom, type Entry } from "./card.ts"
import { type CardFilter, isFiltering, matchesFilter, noFilter, toolsOf } from "./card-filter.ts"

const entry = (sequence: number, kind: string, body: object): Entry => {
  return { sequence, parent: null, kind, at_ms: 0, body }
}
const call = (id: string, tool: string, envelope: object) =>
  cardFrom(id, [
    entry(1, "call", { call: id, tool, input: { path: "notes/Plan.md" } }),
    entry(2, "envelope", { call: id, envelope: { tool, ...envelope } }),
  ])
const said = cardFrom("entry:3", [
  entry(3, "message", { message: { role: "user", content: "Make a plan" } }),
])
const read = call("1", "file.read", { ok: true, result: { text: "apples" } })
const failed = call("2", "file.write", { ok: false, kind: "rejected", message: "pears" })

const found = (filter: Partial<CardFilter>) =>
  [said, read, failed].filter((card: Card) => matchesFilter(card, { ...noFilter, ...filter }))

describe("searching the cards", () => {
  it("O24: by tool, by result and by words of arguments and answers", () => {
    expect(found({})).toEqual([said, read, failed])
    expect(found({ tool: "file.read" })).toEqual([read])
    expect(found({ result: "problem" })).toEqual([failed])
    expect(found({ result: "done" })).toEqual([read])
    expect(found({ text: "APPLES" })).toEqual([read])
    expect(found({ text: "pears", tool: "file.read" })).toEqual([])
    expect(found({ text: " plan" })).toEqual([said, read, failed])
    expect(toolsOf([said, read, failed])).toEqual(["file.read", "file.write"])
    expect(isFiltering(noFilter)).toBe(false)
  })
})
