import { readdirSync, readlinkSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type CallContext, defineTool } from "../../src/contract/index.ts"
import type { Session } from "../../src/session/index.ts"
import { pixel } from "../support/pixel.ts"
import { type HttpGround, openHttpGround } from "./http-ground.ts"
import { connectOlder, newer, send } from "./raw-client.ts"

const nothing = { type: "object", properties: {}, additionalProperties: false } as const

/** More than the system holds for a reader: three images of almost 4 MiB, as text. */
const images = 3
const imageBytes = 3.75 * 1024 ** 2
const answerBytes = (images * imageBytes * 4) / 3

/** How many floods were asked for, and what they wait for before they answer. */
let asked = 0
let gate = Promise.resolve()

const flood = (sessionOf: (context: CallContext) => Session) =>
  defineTool({
    name: "test.flood",
    description: "Answers with much.",
    input: nothing,
    async run(_, context) {
      const content = Buffer.alloc(imageBytes)
      pixel.copy(content)
      const kept = { filename: "a.png", mimeType: "image/png", content }
      const { artifacts } = sessionOf(context)
      asked += 1
      await gate
      const all = await Promise.all(Array.from({ length: images }, () => artifacts.keep(kept)))
      return { files: all.map(({ id }) => ({ artifact: { id } })) }
    },
  })

let ended = 0
const hang = defineTool({
  name: "test.hang",
  description: "Hangs.",
  input: nothing,
  run: (_, { signal }) =>
    new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        ended += 1
        resolve()
      })
    }),
})

const limits = {
  keepAliveMs: 50,
  connections: 100,
  headerMs: 600,
  requestMs: 1_000,
  unreadBytes: 1024 ** 2,
}

let ground: HttpGround
let port: number
beforeAll(async () => {
  ground = await openHttpGround({ tools: (sessionOf) => [flood(sessionOf), hang], limits })
  port = Number(new URL(ground.url).port)
})
afterAll(() => ground[Symbol.asyncDispose]())

/** Somebody else is served as ever. */
async function isServed(): Promise<boolean> {
  const answer = await send(ground, newer("tools/list", {}, { name: "somebody else" }))
  await answer.ended
  return answer.messages().at(-1)?.result?.tools.length > 5
}

const collect = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/** The connections of this process, of both ends. */
function connections(): number {
  const links = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ""
    }
  })
  return links.filter((link) => link.startsWith("socket:")).length
}

it("F20: of who reads nothing, one large answer is held and the others are cut; others are served", async () => {
  const session = await connectOlder(ground)
  const call = { method: "tools/call", params: { name: "test_flood" } }
  collect()
  const before = process.memoryUsage()
  const held = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external - before.heapUsed - before.external
  }
  // None has an answer to leave unread before all of them are asked: the others would be refused.
  const { promise, resolve: open } = Promise.withResolvers<void>()
  gate = promise
  const posted = [1, 2, 3, 4].map((id) => session.post({ ...call, id }, { paused: true }))
  await expect.poll(() => asked).toBe(4)
  open()
  const answers = await Promise.all(posted)
  let cut = 0
  for (const answer of answers) void answer.ended.then(() => (cut += 1))
  await expect.poll(() => cut).toBe(3)
  const refused = await session.post({ id: 99, method: "tools/list" })
  await refused.ended
  expect(refused.status).toBe(429)
  expect(refused.messages()[0]?.error?.message).toMatch(/unread/)
  await expect.poll(held).toBeLessThan(2 * answerBytes)
  expect(await isServed()).toBe(true)
  for (const { resume } of answers) resume()
  await Promise.all(answers.map((answer) => answer.ended))
  // Who reads late has its answer all the same, and may ask again.
  expect(answers.filter((answer) => answer.isComplete())).toHaveLength(1)
  const ping = async () => (await session.post({ id: 100, method: "ping" })).status
  await expect.poll(ping).toBe(200)
})

it("F20: who reads nothing for long loses the connection, and its call is ended", async () => {
  await using impatient = await openHttpGround({
    tools: (sessionOf) => [flood(sessionOf), hang],
    limits: { unreadMs: 300, keepAliveMs: 50 },
  })
  const { headers } = await connectOlder(impatient, {}, "2025-03-26")
  const call = (id: number, name: string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name },
  })
  const before = ended
  const body = [call(1, "test_flood"), call(2, "test_hang")]
  const answer = await send(impatient, { body, headers, paused: true })
  await expect.poll(() => ended).toBe(before + 1)
  answer.cut()
})

/** A connection that sends what it is told, and what became of it. */
function open(): { readonly socket: Socket; readonly closed: Promise<string> } {
  const socket = connect(port, "127.0.0.1")
  let text = ""
  socket.on("data", (piece) => (text += piece)).on("error", () => {})
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(text)))
  return { socket, closed }
}

const head = () =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${ground.token}\r\n` +
  "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

it("F20: who sends nothing, or too slowly, is closed after a while; who sends endless headers at once", async () => {
  const silent = open()
  const slowHeaders = open()
  const slowBody = open()
  const manyHeaders = open()
  slowHeaders.socket.write(head())
  slowBody.socket.write(`${head()}Content-Length: 1000000\r\n\r\n{`)
  manyHeaders.socket.write(head() + "X-More: 0123456789abcdef\r\n".repeat(2_000))
  const dripping = setInterval(() => {
    slowHeaders.socket.write("X: 1\r\n")
    slowBody.socket.write(" ")
  }, 50)
  expect(await manyHeaders.closed).toMatch(/^HTTP\/1.1 431 /)
  expect(await slowHeaders.closed).toMatch(/^HTTP\/1.1 408 /)
  expect(await slowBody.closed).toMatch(/^HTTP\/1.1 408 /)
  await silent.closed
  clearInterval(dripping)
  expect(await isServed()).toBe(true)
})

it("F20: hundreds of connections that are opened and dropped leave nothing, and more than can be held are closed", async () => {
  const before = connections()
  for (let round = 0; round < 5; round += 1) {
    const opened = Array.from({ length: 100 }, open)
    for (const [index, { socket }] of opened.entries()) {
      if (index % 2 === 0) socket.write(head())
      if (index % 4 === 0) socket.write("Content-Length: 9\r\n\r\n{")
      socket.once("connect", () => socket.destroy())
    }
    await Promise.all(opened.map(({ closed }) => closed))
  }
  const many = Array.from({ length: 2 * limits.connections }, open)
  // At most half of them are let in, and those not for long.
  await Promise.all(many.map(({ closed }) => closed))
  expect(await isServed()).toBe(true)
  await expect.poll(connections).toBeLessThan(before + 20)
})
