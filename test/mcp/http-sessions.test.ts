import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { defineTool } from "../../src/contract/index.ts"
import { serverLimits } from "../../src/mcp/limits.ts"
import { type ManualClock, manualClock } from "../support/manual-clock.ts"
import { type HttpGround, openHttpGround } from "./http-ground.ts"
import { connectOlder, newer, type RawAnswer, send } from "./raw-client.ts"
import { visibleProcesses } from "./visible-processes.ts"

const { clientIdleMs, clientSweepMs } = serverLimits

let letGo = () => {}
const silent = defineTool({
  name: "test.silent",
  description: "Waits in silence.",
  input: { type: "object", properties: {}, additionalProperties: false } as const,
  run: () =>
    new Promise<{ text: string }>((resolve) => {
      letGo = () => resolve({ text: "done" })
    }),
})

let clock: ManualClock
let ground: HttpGround
beforeAll(async () => {
  clock = manualClock()
  const tools = () => [silent]
  ground = await openHttpGround({
    host: "bubblewrap",
    tools,
    idleClock: clock,
    limits: { clients: 5 },
  })
})
afterAll(() => ground[Symbol.asyncDispose]())

const tool = (name: string, input: object = {}) => ({
  id: 3,
  method: "tools/call",
  params: { name, arguments: input },
})
const shell = (command: string, more: object = {}) => tool("shell_exec", { command, ...more })

async function resultOf(answering: Promise<RawAnswer>) {
  const answer = await answering
  await answer.ended
  return answer.messages().at(-1)?.result?.structuredContent ?? { status: answer.status }
}

/** A sandbox in which something goes on, to be recognised by its number. */
const lasting = (number: number) => shell(`sleep ${number}.${process.pid}`, { background: true })
const isRunning = async (number: number) =>
  (await visibleProcesses()).includes(`sleep ${number}.${process.pid}`)

const sandboxes = async () =>
  (await readdir(join(ground.home, "bubblewrap"))).filter((name) => name.includes("_"))

it("F20: who does nothing for long is forgotten with its sandboxes; who listens, calls or has just called is not", async () => {
  const [idle, listener, caller] = await Promise.all([
    connectOlder(ground),
    connectOlder(ground),
    connectOlder(ground),
  ])
  const listening = await send(ground, { headers: listener.headers })
  const started = [
    idle.post(lasting(7001)),
    listener.post(lasting(7002)),
    caller.post(lasting(7003)),
  ]
  for (const one of started) expect(await resultOf(one)).toMatchObject({ ok: true })
  const call = await caller.post(tool("test_silent"))
  expect(await sandboxes()).toHaveLength(3)
  clock.advance(clientIdleMs + 2 * clientSweepMs)
  await expect.poll(() => isRunning(7001)).toBe(false)
  expect(await resultOf(idle.post({ id: 1, method: "ping" }))).toEqual({ status: 404 })
  letGo()
  await call.ended
  expect(call.messages().at(-1)).toMatchObject({ result: { isError: false } })
  // The server hears that the answer was read a moment after it was.
  await resultOf(caller.post({ id: 1, method: "ping" }))
  clock.advance(clientIdleMs - clientSweepMs)
  expect([await isRunning(7002), await isRunning(7003)]).toEqual([true, true])
  listening.cut()
  await listening.ended
  await expect
    .poll(async () => {
      clock.advance(clientIdleMs + 2 * clientSweepMs)
      return (await isRunning(7002)) || (await isRunning(7003))
    })
    .toBe(false)
  await expect.poll(sandboxes).toEqual([])
})

it("F20: who comes back while its sandboxes are being destroyed gets new ones", async () => {
  const call = newer("tools/call", shell("ls; touch a.txt").params, { name: "returning" })
  expect(await resultOf(send(ground, call))).toMatchObject({ result: { stdout: "" } })
  expect(await resultOf(send(ground, call))).toMatchObject({ result: { stdout: "a.txt\n" } })
  // The answer's end is heard of by now, as this one has been answered since.
  await resultOf(send(ground, newer("tools/list", {}, { name: "other" })))
  clock.advance(clientIdleMs + 2 * clientSweepMs)
  expect(await resultOf(send(ground, call))).toMatchObject({ result: { stdout: "" } })
})

it("F20: a server has so many clients, and says so; one that says goodbye makes room", async () => {
  clock.advance(clientIdleMs + 2 * clientSweepMs)
  const taken: Awaited<ReturnType<typeof connectOlder>>[] = []
  const open = async () => {
    const opened = await connectOlder(ground)
    if (opened.status === 200) taken.push(opened)
    return taken.length
  }
  // Those of before are still being closed.
  await expect.poll(open).toBe(5)
  expect([await open(), await open()]).toEqual([5, 5])
  const refused = await send(ground, newer("tools/list", {}, { name: "one too many" }))
  await refused.ended
  expect(refused.status).toBe(503)
  expect(refused.headers["retry-after"]).toBe("60")
  expect(refused.messages()[0]?.error?.message).toMatch(
    /has reached its limit of clients\. Close one/,
  )
  const [first] = taken
  if (!first) throw new Error("Nobody was let in.")
  const goodbye = await send(ground, { method: "DELETE", headers: first.headers })
  expect(goodbye.status).toBe(200)
  await expect.poll(async () => (await connectOlder(ground)).status).toBe(200)
})
