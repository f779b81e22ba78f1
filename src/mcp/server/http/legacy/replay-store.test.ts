import { expect, it } from "vitest"
import { replayStore } from "./replay-store.ts"

const message = (text: string) => ({ jsonrpc: "2.0" as const, method: "x", params: { text } })

it("F20: a client that comes back is sent what it missed on its stream, as long as that is held", async () => {
  const store = replayStore(500)
  const first = await store.storeEvent("a", message("one"))
  await store.storeEvent("b", message("other"))
  await store.storeEvent("a", message("two"))
  const sent: unknown[] = []
  const send = async (_: string, one: unknown) => void sent.push(one)
  expect(await store.replayEventsAfter(first, { send })).toBe("a")
  expect(sent).toEqual([message("two")])
  await store.storeEvent("a", message("x".repeat(390)))
  await expect(store.replayEventsAfter(first, { send })).rejects.toThrow("no longer stored")
})
