import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cpuMs } from "../../../test/support/cpu-time.ts"
import { cutText, limits } from "../index.ts"
import { omissionNote, trimEndToCharacter, trimStartToCharacter } from "./cut-text.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const character = fc.oneof(
  fc.constantFrom("a", "é", "語", "😀", "\u0000", "\ufeff", "\n", "👩‍👩‍👧"),
  fc.constantFrom("\ud800", "\udc00"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
)
const anyText = fc.array(character, { maxLength: 200 }).map((parts) => parts.join(""))

describe("cutText", () => {
  it.each<[string, number, string, number]>([
    ["", 0, "", 0],
    ["abc", 3, "abc", 0],
    ["abcd", 3, "\n[... 4 bytes left out ...]\n", 4],
    ["abc", 0, "\n[... 3 bytes left out ...]\n", 3],
    ["a".repeat(40), 33, "aa\n[... 36 bytes left out ...]\naa", 36],
    ["a".repeat(40), 32, "aa\n[... 37 bytes left out ...]\na", 37],
    ["😀".repeat(10), 38, "😀\n[... 32 bytes left out ...]\n😀", 32],
    ["😀".repeat(10), 40, "😀".repeat(10), 0],
    ["😀".repeat(10), 36, "😀\n[... 36 bytes left out ...]\n", 36],
    ["語".repeat(20), 38, "語\n[... 54 bytes left out ...]\n語", 54],
  ])(
    "O34.cut, O34.named, Y13.cut, Y13.counted: %j to %i bytes",
    (text, most, cut, omittedBytes) => {
      expect(cutText(text, most)).toEqual({ text: cut, omittedBytes })
    },
  )

  it("O34.size: cuts at about 50 KB when nothing else is said", () => {
    const text = "x".repeat(60_000)
    expect(limits.textBytes).toBe(50_000)
    expect(cutText(text)).toEqual({
      text: `${"x".repeat(24_984)}\n[... 10032 bytes left out ...]\n${"x".repeat(24_984)}`,
      omittedBytes: 10_032,
    })
    expect(cutText("x".repeat(50_000)).omittedBytes).toBe(0)
  })

  it("O34.cut, O34.named, Y13.cut, Y13.counted: keeps within the limit, splits no character, and counts what is missing exactly", () => {
    fc.assert(
      fc.property(anyText, fc.nat(120), (text, most) => {
        const cut = cutText(text, most)
        if (cut.omittedBytes === 0) {
          expect(cut.text).toBe(text)
          expect(bytesOf(text).length).toBeLessThanOrEqual(most)
          return
        }
        const note = omissionNote(cut.omittedBytes)
        const at = cut.text.indexOf(note)
        const head = cut.text.slice(0, at)
        const tail = cut.text.slice(at + note.length)
        // What can't be encoded is shown as the sign that stands for it.
        const whole = text.toWellFormed()
        expect(at).toBeGreaterThanOrEqual(0)
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        expect(cut.text.isWellFormed()).toBe(true)
        expect(bytesOf(cut.text).length).toBeLessThanOrEqual(Math.max(most, note.length))
        expect(bytesOf(head).length + cut.omittedBytes + bytesOf(tail).length).toBe(
          bytesOf(text).length,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it("O34, Y13: found defect: a byte order mark at the start of head or tail is not lost uncounted", () => {
    expect(cutText(`\ufeff${"a".repeat(47)}`, 39)).toEqual({
      text: "\ufeffaa\n[... 40 bytes left out ...]\naaaaa",
      omittedBytes: 40,
    })
    expect(cutText(`${"a".repeat(45)}\ufeffbb`, 39)).toEqual({
      text: "aaaaa\n[... 40 bytes left out ...]\n\ufeffbb",
      omittedBytes: 40,
    })
  })

  it("O34, Y13: found defect: a text that is cut again has one note, and its number is true", () => {
    const twice = fc.tuple(
      anyText,
      fc.integer({ min: 40, max: 400 }),
      fc.integer({ min: 0, max: 400 }),
    )
    fc.assert(
      fc.property(twice, ([part, first, second]) => {
        const text = part.repeat(4)
        const once = cutText(text, first)
        const again = cutText(once.text, second)
        if (once.omittedBytes === 0 || again.omittedBytes === 0) {
          expect(second >= first ? again.text : "").toBe(second >= first ? once.text : "")
          return
        }
        const [head = "", tail = "", ...others] = again.text.split(omissionNote(again.omittedBytes))
        expect(others).toEqual([])
        const whole = text.toWellFormed()
        expect([whole.startsWith(head), whole.endsWith(tail)]).toEqual([true, true])
        const shown = bytesOf(head).length + bytesOf(tail).length
        expect(shown + again.omittedBytes).toBe(bytesOf(text).length)
      }),
      { numRuns: 3_000 },
    )
    const page = "x".repeat(100_000)
    expect(cutText(cutText(page).text)).toEqual({ text: cutText(page).text, omittedBytes: 0 })
    expect(cutText(cutText(page).text, 1_000)).toEqual(cutText(page, 1_000))
  })

  it("O34, Y13: only the note of a cut counts, not one that the text itself has", () => {
    const quoted = `see ${omissionNote(1_000_000)}`
    const text = `${quoted}${"x".repeat(500)}${quoted}${"y".repeat(100)}`
    expect(cutText(text, 200).omittedBytes).toBeLessThan(text.length)
    // One that is not in the middle is found by its number.
    const odd = `abc${omissionNote(77)}${"z".repeat(200)}`
    expect(cutText(odd, 100, 77)).toEqual({
      text: `abc${omissionNote(242)}${"z".repeat(35)}`,
      omittedBytes: 242,
    })
  })

  it("Y13: a hundred million bytes take little time", () => {
    const huge = "語".repeat(33_333_334)
    expect(cutText(huge).omittedBytes).toBe(100_000_002 - 49_962)
    expect(cpuMs(() => cutText(huge))).toBeLessThan(1_500)
  })
})

describe("trimming bytes to whole characters", () => {
  const decode = (bytes: Uint8Array) =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)

  it("O34: drops only what belongs to the character that was split", () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, random) => {
        const bytes = bytesOf(text)
        const at = random % (bytes.length + 1)
        const head = trimEndToCharacter(bytes.subarray(0, at))
        const tail = trimStartToCharacter(bytes.subarray(at))
        expect(text.toWellFormed().startsWith(decode(head))).toBe(true)
        expect(text.toWellFormed().endsWith(decode(tail))).toBe(true)
        const split = bytes.length - head.length - tail.length
        expect([0, 2, 3, 4]).toContain(split)
      }),
    )
  })

  it("O34: bytes that are no text at all are kept, but for a character's worth", () => {
    const noise = new Uint8Array(10).fill(0x80)
    expect(trimEndToCharacter(noise).length).toBe(10)
    expect(trimStartToCharacter(noise).length).toBe(7)
    expect(trimEndToCharacter(new Uint8Array(0)).length).toBe(0)
    expect(trimStartToCharacter(new Uint8Array(0)).length).toBe(0)
  })
})
