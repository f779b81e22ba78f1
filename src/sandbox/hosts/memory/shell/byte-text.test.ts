import fc from "fast-check"
import { expect, it } from "vitest"
import { bytesOfText, textOfBytes } from "./byte-text.ts"

it("F18: any bytes come back from text as they were", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(bytesOfText(textOfBytes(bytes))).toEqual(bytes)
    }),
    { numRuns: 2000 },
  )
})

it("F18: text and broken bytes beside each other keep both", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array({ maxLength: 4 }))),
      (parts) => {
        const bytes = parts.map((part) => Buffer.from(part as string))
        expect(Buffer.from(bytesOfText(textOfBytes(Buffer.concat(bytes))))).toEqual(
          Buffer.concat(bytes),
        )
      },
    ),
    { numRuns: 500 },
  )
})

it("F18: valid UTF-8 is ordinary text, and a byte order mark is kept", () => {
  const text = "\ufeffé € 😀 \u0000"
  expect(textOfBytes(new TextEncoder().encode(text))).toBe(text)
  expect(bytesOfText("\ud83d!")).toEqual(new Uint8Array([0xef, 0xbf, 0xbd, 0x21]))
})

it("F18: bytes that were split come together again", () => {
  const text = textOfBytes(new Uint8Array([0xc3])) + textOfBytes(new Uint8Array([0xa9]))
  expect(bytesOfText(text)).toEqual(new TextEncoder().encode("é"))
})
