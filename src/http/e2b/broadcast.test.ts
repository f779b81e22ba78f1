import { describe, expect, it } from "vitest"
import { httpLimits } from "../limits.ts"
import { createBroadcast } from "./broadcast.ts"

const never = new AbortController().signal
const full = httpLimits.e2bUnreadBytes

async function read<Message>(messages: AsyncIterable<Message>): Promise<Message[]> {
  const all: Message[] = []
  for await (const message of messages) all.push(message)
  return all
}

describe("what a process says", () => {
  it("R12: comes to each listener from when it listens, and ends for all", async () => {
    const events = createBroadcast<string>()
    expect(events.send("nobody", full)).toBeUndefined()
    const first = read(events.listen(never))
    void events.send("one", 1)
    const second = read(events.listen(never))
    void events.send("two", 1)
    events.end()
    expect(await first).toEqual(["one", "two"])
    expect(await second).toEqual(["two"])
  })

  it("R12: waits for the slowest listener, and for none that is gone", async () => {
    const events = createBroadcast<string>()
    const leaving = new AbortController()
    const slow = events.listen(never)[Symbol.asyncIterator]()
    const gone = events.listen(leaving.signal)
    const told: string[] = []
    const room = Promise.resolve(events.send("large", full)).then(() => told.push("room"))
    expect(await slow.next()).toEqual({ done: false, value: "large" })
    // The other one has taken nothing yet.
    await Promise.resolve()
    expect(told).toEqual([])
    leaving.abort()
    await room
    expect(told).toEqual(["room"])
    expect(await read(gone)).toEqual([])
    const next = events.send("more", full)
    await slow.next()
    await next
    await slow.return?.()
    expect(events.send("nobody", full)).toBeUndefined()
  })
})
