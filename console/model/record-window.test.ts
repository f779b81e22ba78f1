import { describe, expect, it } from "vitest"
import { cardFrom, type Entry } from "./card.ts"
import { RecordWindow } from "./record-window.ts"

/** Calls of two entries each; call n has the entries 2n - 1 and 2n. */
function entriesOf(from: number, to: number): Entry[] {
  return Array.from({ length: to - from + 1 }, (_, index): Entry => {
    const sequence = from + index
    const call = `call-${Math.ceil(sequence / 2)}`
    const base = { sequence, parent: sequence - 1, at_ms: sequence }
    return sequence % 2 === 1
      ? { ...base, kind: "call", body: { call, tool: "shell.exec", input: {} } }
      : { ...base, kind: "envelope", body: { call, envelope: { ok: true, tool: "shell.exec" } } }
  })
}

const idsOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `call-${from + index}`)

describe("the part of a record that the page has", () => {
  it("O24: a call whose end was read first appears with the page that has its beginning", () => {
    const window = new RecordWindow(100)
    window.append(entriesOf(10, 20), true)
    expect(window.ids).toEqual(idsOf(6, 10))
    window.prepend(entriesOf(1, 9))
    expect(window.ids).toEqual(idsOf(1, 10))
    for (const id of window.ids) expect(window.entriesOf(id)).toHaveLength(2)
  })

  it("O24: going back to the beginning and forth to the end keeps the order and loses nothing", () => {
    const window = new RecordWindow(20)
    window.append(entriesOf(91, 100), true)
    while (window.first > 1) window.prepend(entriesOf(window.first - 9, window.first - 1))
    expect(window.isAtEnd).toBe(false)
    expect(window.ids[0]).toBe("call-1")
    expect(window.ids.length).toBeLessThanOrEqual(10)
    for (;;) {
      const last = Math.min(100, window.last + 9)
      window.append(entriesOf(window.last + 1, last), last === 100)
      if (window.isAtEnd) break
    }
    expect(window.ids.at(-1)).toBe("call-50")
    for (const id of window.ids) {
      expect(cardFrom(id, window.entriesOf(id))).toMatchObject({ isWhole: true, end: {} })
    }
    const positions = window.ids.map((id) => Number(id.slice(5)))
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  })

  it("O24: a call that was dropped at the front is whole again when it is read again", () => {
    const window = new RecordWindow(4)
    const [one, two, three, four] = entriesOf(1, 4)
    const mixed = [one, three, four, two].map((entry, index) => ({ ...entry, sequence: index + 1 }))
    window.append(mixed.slice(0, 3) as Entry[], true)
    window.follow([...(mixed.slice(3) as Entry[]), ...entriesOf(5, 6)])
    expect(window.ids).toEqual(["call-2", "call-3"])
    window.prepend([mixed[0] as Entry])
    expect(window.entriesOf("call-1").map(({ kind }) => kind)).toEqual(["call", "envelope"])
  })

  it("O24: the same entry twice is there once, and away from the end only known cards change", () => {
    const window = new RecordWindow(100)
    window.append(entriesOf(1, 3), true)
    window.follow(entriesOf(3, 5))
    window.follow(entriesOf(2, 5))
    expect(window.ids).toEqual(idsOf(1, 3))
    expect(window.entriesOf("call-2")).toHaveLength(2)
    const away = new RecordWindow(100)
    away.append(entriesOf(1, 3), false)
    expect(away.follow(entriesOf(4, 8)).changed).toEqual(new Set(["call-2"]))
    expect(away.ids).toEqual(idsOf(1, 2))
    expect(away.last).toBe(3)
    away.append(entriesOf(4, 8), true)
    expect(away.ids).toEqual(idsOf(1, 4))
    expect(away.entriesOf("call-2")).toHaveLength(2)
  })

  it("O24: a call that runs and has no entry stands at the end until it has one", () => {
    const window = new RecordWindow(100)
    window.append(entriesOf(1, 2), true)
    window.addRunning("call-2")
    window.addRunning("call-2")
    expect(window.ids).toEqual(idsOf(1, 2))
    window.follow(entriesOf(3, 4))
    expect(window.ids).toEqual(idsOf(1, 2))
    expect(window.entriesOf("call-2")).toHaveLength(2)
  })
})
