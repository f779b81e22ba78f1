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
    ["abcd", 3, "ab\n[... 1 bytes left out ...]\nd", 1],
    ["abc", 0, "\n[... 3 bytes left out ...]\n", 3],
    ["abc", 1, "a\n[... 2 bytes left out ...]\n", 2],
    ["😀😀😀", 8, "😀\n[... 4 bytes left out ...]\n😀", 4],
    ["😀😀😀", 10, "😀\n[... 4 bytes left out ...]\n😀", 4],
    ["😀😀😀", 7, "😀\n[... 8 bytes left out ...]\n", 8],
    ["語語語語", 8, "語\n[... 6 bytes left out ...]\n語", 6],
  ])("O34, Y13: %j to %i bytes", (text, most, cut, omittedBytes) => {
    expect(cutText(text, most)).toEqual({ text: cut, omittedBytes })
  })

  it("O34: cuts at about 50 KB when nothing else is said", () => {
    const text = "x".repeat(60_000)
    expect(limits.textBytes).toBe(50_000)
    expect(cutText(text)).toEqual({
      text: `${"x".repeat(25_000)}\n[... 10000 bytes left out ...]\n${"x".repeat(25_000)}`,
      omittedBytes: 10_000,
    })
    expect(cutText("x".repeat(50_000)).omittedBytes).toBe(0)
  })

  it("O34, Y13: keeps within the limit, splits no character, and counts what is missing exactly", () => {
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
        expect(bytesOf(head).length + bytesOf(tail).length).toBeLessThanOrEqual(most)
        expect(bytesOf(head).length + cut.omittedBytes + bytesOf(tail).length).toBe(
          bytesOf(text).length,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it("O34, Y13: found defect: a byte order mark at the start of head or tail is not lost uncounted", () => {
    expect(cutText(`\ufeff${"a".repeat(20)}`, 10)).toEqual({
      text: "\ufeffaa\n[... 13 bytes left out ...]\naaaaa",
      omittedBytes: 13,
    })
    expect(cutText(`${"a".repeat(20)}\ufeffbb`, 10)).toEqual({
      text: "aaaaa\n[... 15 bytes left out ...]\n\ufeffbb",
      omittedBytes: 15,
    })
  })

  it("Y13: a hundred million bytes take little time", () => {
    const huge = "語".repeat(33_333_334)
    expect(cutText(huge).omittedBytes).toBe(100_000_002 - 49_998)
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
