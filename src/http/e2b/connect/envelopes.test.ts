import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ConnectError } from "./connect-error.ts"
import { endOfStream, envelopeOf, readEnvelopes } from "./envelopes.ts"

const most = 64 * 1024

async function readAll(parts: readonly Uint8Array[]): Promise<unknown[]> {
  async function* body() {
    yield* parts
  }
  const all: unknown[] = []
  for await (const message of readEnvelopes(body(), most)) all.push(message)
  return all
}

describe("messages of a stream", () => {
  it("R12: are read however they are cut on their way", async () => {
    const message = fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 })
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 6 }), cuts, async (messages, sizes) => {
        const whole = Buffer.concat([...messages.map(envelopeOf), endOfStream()])
        const parts: Uint8Array[] = []
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1
          parts.push(whole.subarray(at, at + size))
          at += size
        }
        expect(await readAll(parts)).toEqual(messages.map((one) => ({ ...one })))
      }),
      { numRuns: 60 },
    )
  })

  it("R12: that are too large are refused by their head, and tell what is wrong at their end", async () => {
    const head = Buffer.from([0, 0, 2, 0, 0])
    await expect(readAll([head])).rejects.toMatchObject({ code: "resource_exhausted" })
    await expect(readAll([envelopeOf({}).subarray(0, 6)])).rejects.toBeInstanceOf(ConnectError)
    const end = Buffer.from(endOfStream(new ConnectError("not_found", "No.")))
    expect(end[0]).toBe(2)
    expect(JSON.parse(end.toString("utf8", 5))).toEqual({
      error: { code: "not_found", message: "No." },
    })
  })
})
