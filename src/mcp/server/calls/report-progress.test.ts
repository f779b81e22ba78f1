import fc from "fast-check"
import { expect, it } from "vitest"
import { serverLimits } from "../../limits.ts"
import { createOutput } from "./report-progress.ts"

const note = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/g

it("O34, Y13: of live output, what is sent and what is said to be left out is all of it", async () => {
  const { outputBytes, outputBytesMost } = serverLimits
  const character = fc.constantFrom("a", "é", "語", "😀")
  const floods = fc.array(fc.tuple(character, fc.integer({ min: 0, max: 3 * outputBytes })), {
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(floods, async (parts) => {
      const sent: string[] = []
      const output = createOutput(async (message) => void sent.push(message))
      const bytes = Buffer.from(parts.map(([text, times]) => text.repeat(times)).join(""))
      // In pieces that split characters.
      for (let at = 0; at < bytes.length; at += 7_001) output.add(bytes.subarray(at, at + 7_001))
      output.end()
      const all = sent.join("")
      const hidden = [...all.matchAll(note)].reduce((sum, [, count]) => sum + Number(count), 0)
      expect(Buffer.byteLength(all.replaceAll(note, "")) + hidden).toBe(bytes.length)
      expect(all.isWellFormed()).toBe(true)
    }),
    { numRuns: 40 },
  )
  const sent: string[] = []
  const output = createOutput(async (message) => void sent.push(message))
  for (let left = 2 * outputBytesMost; left > 0; left -= 1024) output.add(Buffer.alloc(1024, 97))
  output.end()
  const all = sent.join("")
  const hidden = [...all.matchAll(note)].reduce((sum, [, count]) => sum + Number(count), 0)
  expect(all.replaceAll(note, "").length + hidden).toBe(2 * outputBytesMost)
})
