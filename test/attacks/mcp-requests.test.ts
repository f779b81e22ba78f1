import { afterAll, beforeAll, expect, it } from "vitest"
import { defineTool } from "../../src/contract/index.ts"
import { type HttpGround, openHttpGround } from "../mcp/http-ground.ts"
import { connectOlder, send } from "../mcp/raw-client.ts"

const waiting = new Set<() => void>()
const slow = defineTool({
  name: "test.slow",
  description: "Waits until it is let go.",
  input: { type: "object", properties: {}, additionalProperties: false } as const,
  run: (_, { signal }) =>
    new Promise<{ text: string }>((resolve) => {
      const end = () => {
        waiting.delete(end)
        resolve({ text: "done" })
      }
      waiting.add(end)
      signal.addEventListener("abort", end)
    }),
})

let ground: HttpGround
beforeAll(async () => {
  ground = await openHttpGround({ tools: () => [slow], limits: { requests: 8 } })
})
afterAll(() => ground[Symbol.asyncDispose]())

const call = (id: number | string) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call", params: { name: "test_slow" } },
})
const cancel = (requestId: number | string) => ({
  ...{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
})

it("F20: of two requests with one id, under way at the same time, each has one answer: the second a refusal", async () => {
  const { post } = await connectOlder(ground)
  const first = await post(call(5))
  await expect.poll(() => waiting.size).toBe(1)
  const second = await post(call(5))
  await second.ended
  expect(second.status).toBe(400)
  expect(second.messages()).toMatchObject([{ id: 5, error: { code: -32_600 } }])
  // Another kind of id is another id.
  const third = await post(call("5"))
  await expect.poll(() => waiting.size).toBe(2)
  for (const end of waiting) end()
  for (const [answer, id] of [[first, 5] as const, [third, "5"] as const]) {
    await answer.ended
    expect(answer.messages()).toMatchObject([{ id, result: { isError: false } }])
  }
  // It is free again.
  const again = await post(call(5))
  await expect.poll(() => waiting.size).toBe(1)
  for (const end of waiting) end()
  await again.ended
  expect(again.messages()).toMatchObject([{ id: 5, result: { isError: false } }])
})

it("F20: a client that cancels many calls is served on: each stream ends", async () => {
  const { post } = await connectOlder(ground)
  for (let id = 1; id <= 40; id += 1) {
    const answer = await post(call(id))
    expect(answer.status).toBe(200)
    await post(cancel(id))
    await answer.ended
    expect(answer.messages()).toEqual([])
  }
  await expect.poll(() => waiting.size).toBe(0)
  const answer = await post({ id: 99, method: "tools/list" })
  await answer.ended
  expect(answer.messages()).toMatchObject([{ id: 99, result: {} }])
})

it("F20: in an array of requests, one that is cancelled keeps no other from its answer", async () => {
  const { headers } = await connectOlder(ground, {}, "2025-03-26")
  const both = await send(ground, { headers, body: [call(1), call(2)] })
  await expect.poll(() => waiting.size).toBe(2)
  await send(ground, { headers, body: cancel(1) })
  await expect.poll(() => waiting.size).toBe(1)
  for (const end of waiting) end()
  await both.ended
  expect(both.messages().find(({ id }) => id === 2)).toMatchObject({ result: { isError: false } })
  const twice = await send(ground, { headers, body: [call(3), call(3)] })
  expect(twice.status).toBe(400)
  expect(waiting.size).toBe(0)
})
