import { afterAll, expect, it } from "vitest"
import { startThread } from "./start-thread.ts"
import { Thread } from "./thread.ts"

let starts = 0
const thread = new Thread<string, string>(() => {
  starts += 1
  const file = new URL("./thread-fixture.ts", import.meta.url)
  return startThread(file, { name: "toolkeep-test", memoryBytes: 64 * 1024 ** 2 })
})
afterAll(() => thread.close())
const { signal } = new AbortController()

it("a thread is started once, and answers or refuses each request in turn", async () => {
  const answers = Promise.allSettled(["a", "refuse", "b"].map((one) => thread.ask(one, { signal })))
  expect(await answers).toMatchObject([
    { value: "heard a" },
    { reason: { kind: "invalid_args", message: "Not that.", field: "path" } },
    { value: "heard b" },
  ])
  expect(starts).toBe(1)
})

it("a thread that loops, exits, crashes or fills its memory fails one request and no other", async () => {
  const ended = { signal: AbortSignal.timeout(200) }
  await expect(thread.ask("loop", ended)).rejects.toThrow("timeout")
  expect(await thread.ask("a", { signal })).toBe("heard a")
  await expect(thread.ask("exit", { signal })).rejects.toThrow("ended with code 3")
  await expect(thread.ask("crash", { signal })).rejects.toThrow("nobody catches this")
  await expect(thread.ask("fill", { signal })).rejects.toThrow("more memory than it may use")
  expect(await thread.ask("b", { signal })).toBe("heard b")
})

it("a request that waits for its turn can be given up, and closing ends the one that runs", async () => {
  const running = thread.ask("loop", { signal })
  const refused = expect(running).rejects.toThrow("has ended")
  await expect(thread.ask("a", { signal: AbortSignal.timeout(50) })).rejects.toThrow("timeout")
  await thread.close()
  await refused
})
