import fc from "fast-check"
import { expect, it } from "vitest"
import { RecordSplitter } from "./split-records.ts"

function split(chunks: readonly Uint8Array[], maxBytes: number) {
  const records: string[] = []
  const splitter = new RecordSplitter({
    separator: 0x0a,
    maxBytes,
    onRecord: (record) => records.push(Buffer.from(record).toString("latin1")),
  })
  for (const chunk of chunks) splitter.push(chunk)
  return { records, dropped: splitter.dropped }
}

it("F6: however the output is cut into chunks, the records are the same", () => {
  const chunks = fc.array(fc.uint8Array({ max: 12, maxLength: 8 }), { maxLength: 8 })
  fc.assert(
    fc.property(chunks, (parts) => {
      const whole = Buffer.concat(parts).toString("latin1").split("\n").slice(0, -1)
      expect(split(parts, 1000)).toEqual({ records: whole, dropped: 0 })
    }),
  )
})

it("F6: a record over the limit is counted and takes no memory", () => {
  const part = Buffer.from("x".repeat(10))
  expect(split([part, part, Buffer.from("\nshort\n")], 15)).toEqual({
    records: ["short"],
    dropped: 1,
  })
})
