import { connect, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { type HttpGround, openHttpGround } from "../mcp/http-ground.ts"
import { connectOlder, newer, type RawAnswer, send } from "../mcp/raw-client.ts"

const second = "another-token-of-the-test"

const opened: Socket[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})

interface Held {
  readonly socket: Socket
  readonly text: () => string
  readonly isClosed: () => boolean
}

/** A connection that is held open, and sends only what it is told. */
async function hold({ url }: HttpGround, sent = ""): Promise<Held> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  opened.push(socket)
  let text = ""
  let isClosed = false
  socket.on("data", (piece) => (text += piece)).on("error", () => {})
  socket.once("close", () => (isClosed = true))
  await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", resolve))
  socket.write(sent)
  return { socket, text: () => text, isClosed: () => isClosed }
}

const holdMany = (ground: HttpGround, count: number, sent?: string) =>
  Promise.all(Array.from({ length: count }, () => hold(ground, sent)))

const closedOf = (all: readonly Held[]) => all.filter((one) => one.isClosed()).length

async function statusOf(answering: Promise<RawAnswer>): Promise<number> {
  const answer = await answering
  await answer.ended
  return answer.status
}

/** Goes on as long as its client does. */
const listen = newer("subscriptions/listen", { notifications: { toolsListChanged: true } })

const list = (name: string) => newer("tools/list", {}, { name })

/** A request without a token, with a wrong one, or that never ends: nobody knows whose it is. */
const strangers = [
  "",
  "POST /mcp HTTP/1.1\r\n",
  "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong-token-of-nobody\r\nContent-Length: 99\r\n\r\n{",
]

it("F20: connections without a token fill the table, and a client with a token is served all the same", async () => {
  // Longer than the test: only the lack of places closes them.
  const limits = { connections: 60, headerMs: 600_000, requestMs: 600_000, strangerMs: 600_000 }
  await using ground = await openHttpGround({ limits })
  for (const sent of strangers) {
    await holdMany(ground, 80, sent)
    for (let request = 0; request < 5; request += 1) {
      expect(await statusOf(send(ground, list("served")))).toBe(200)
    }
  }
  const session = await connectOlder(ground)
  await holdMany(ground, 80)
  expect(await statusOf(session.post({ id: 7, method: "ping" }))).toBe(200)
})

it("F20: a flood of connections that goes on does not keep a client with a token out", async () => {
  await using ground = await openHttpGround({
    limits: { connections: 60, headerMs: 600_000, requestMs: 600_000 },
  })
  let isOver = false
  const flooding = (async () => {
    while (!isOver) {
      await holdMany(ground, 20)
      for (const socket of opened.splice(0, Math.max(0, opened.length - 100))) socket.destroy()
    }
  })()
  const served: number[] = []
  for (let request = 0; request < 20; request += 1) {
    served.push(await statusOf(send(ground, list("served"))))
  }
  isOver = true
  await flooding
  expect(served).toEqual(Array(20).fill(200))
})

it("F20: when places are short, who shows no token within a second is closed; else nobody is", async () => {
  await using ground = await openHttpGround({
    limits: { connections: 60, headerMs: 600_000, requestMs: 600_000, strangerMs: 300 },
  })
  const few = await holdMany(ground, 20)
  const listening = await send(ground, listen)
  expect(listening.status).toBe(200)
  const many = await holdMany(ground, 25)
  // All that was there when places were short, but not who has a token.
  await expect.poll(() => closedOf([...few, ...many])).toBeGreaterThanOrEqual(15)
  const left = closedOf([...few, ...many])
  expect(45 - left).toBeLessThanOrEqual(30)
  expect(await statusOf(send(ground, list("served")))).toBe(200)
  expect(listening.isComplete()).toBe(false)
  listening.cut()
})

it("F20: one token can't take every connection: another has its share, and the first is told", async () => {
  await using ground = await openHttpGround({ token: second, limits: { connections: 40 } })
  const head =
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
    `Authorization: Bearer ${ground.token}\r\nContent-Length: 1000\r\n\r\n{`
  // A quarter is for those that have not shown a token, and each token has half of the rest.
  const greedy = await holdMany(ground, 40, head)
  const refused = () => greedy.filter((one) => one.text().startsWith("HTTP/1.1 503 ")).length
  await expect.poll(refused).toBe(25)
  expect(greedy.find((one) => one.text() !== "")?.text()).toContain(
    "has reached its limit of connections",
  )
  const other = { ...ground, token: second }
  const streams = await Promise.all(Array.from({ length: 14 }, () => send(other, listen)))
  expect(streams.map(({ status }) => status)).toEqual(Array(14).fill(200))
  expect(await statusOf(send(other, list("served")))).toBe(200)
  expect(streams.filter((stream) => stream.isComplete())).toEqual([])
  for (const stream of streams) stream.cut()
  for (const { socket } of greedy) socket.destroy()
  await expect.poll(() => statusOf(send(ground, list("again")))).toBe(200)
})

it("F20: one token can't take every place for clients, of either generation, and loses none of its own to another", async () => {
  await using ground = await openHttpGround({ token: second, limits: { clients: 8 } })
  const other = { ...ground, token: second }
  const first = await connectOlder(ground)
  const statuses: number[] = []
  for (let client = 0; client < 5; client += 1) {
    statuses.push((await connectOlder(ground)).status)
    statuses.push(await statusOf(send(ground, list(`client ${client}`))))
    const named = { ...ground, url: `${ground.url}?session=${client}` }
    statuses.push(await statusOf(send(named, list("named"))))
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  expect(statuses.filter((status) => status === 503)).toHaveLength(12)
  const served = [
    (await connectOlder(other)).status,
    await statusOf(send(other, list("a"))),
    await statusOf(send(other, list("b"))),
    await statusOf(send({ ...other, url: `${ground.url}?session=c` }, list("c"))),
    await statusOf(send(other, list("one too many"))),
  ]
  expect(served).toEqual([200, 200, 200, 200, 503])
  expect(await statusOf(first.post({ id: 1, method: "ping" }))).toBe(200)
  // One that says goodbye makes room for its own token.
  await statusOf(send(ground, { method: "DELETE", headers: first.headers }))
  await expect.poll(async () => (await connectOlder(ground)).status).toBe(200)
  expect(await statusOf(send(other, list("still one too many")))).toBe(503)
})

it("F20, O30: one token can't fill the memory with requests: what is read or answered at once has a size", async () => {
  const limits = { requestBytes: 2 ** 21, messageBytes: 2 ** 20 }
  await using ground = await openHttpGround({ token: second, limits })
  const other = { ...ground, token: second }
  const body = " ".repeat(2 ** 18)
  const head =
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
    `Authorization: Bearer ${ground.token}\r\nContent-Length: ${2 * body.length}\r\n\r\n`
  // Each token has half of the room, and none of these requests is ever whole.
  const greedy = await holdMany(ground, 10, `${head}${body}`)
  const refused = () => greedy.filter((one) => one.text().startsWith("HTTP/1.1 503 ")).length
  await expect.poll(refused).toBeGreaterThanOrEqual(6)
  expect(greedy.find((one) => one.text() !== "")?.text()).toContain(
    "limit for the size of all its running requests",
  )
  const large = { name: "other", capabilities: { experimental: { a: { b: body } } } }
  expect(await statusOf(send(other, newer("tools/list", {}, large)))).toBe(200)
  for (const { socket } of greedy) socket.destroy()
  await expect.poll(() => statusOf(send(ground, newer("tools/list", {}, large)))).toBe(200)
  // A request that is under way still holds what was sent.
  const env = { A: body }
  const calls = Array.from({ length: 6 }, (_, index) =>
    send(
      { ...ground, url: `${ground.url}?session=${index}` },
      newer("tools/call", { name: "shell_exec", arguments: { command: "sleep 600", env } }),
    ),
  )
  const statuses = await Promise.all(calls.map(async (call) => (await call).status))
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(2)
  expect(statuses).toContain(200)
  expect(await statusOf(send(other, newer("tools/list", {}, large)))).toBe(200)
  for (const call of calls) (await call).cut()
  await expect.poll(() => statusOf(send(ground, newer("tools/list", {}, large)))).toBe(200)
})
