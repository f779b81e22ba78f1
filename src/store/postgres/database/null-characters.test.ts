import fc from "fast-check"
import { expect, it } from "vitest"
import { fromStored, toStored } from "./null-characters.ts"

it("F20: any text is stored without U+0000, and read as it was", () => {
  const characters = fc.constantFrom("\0", "\u0001", "0", "1", "a")
  fc.assert(
    fc.property(fc.string({ unit: characters }), (text) => {
      const stored = toStored(text)
      expect(stored).not.toContain("\0")
      expect(fromStored(stored)).toBe(text)
    }),
  )
})
