import { Agent, request } from "node:http"
import { connect } from "node:net"
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server"
import { afterAll, beforeAll, expect, it } from "vitest"
import { defineTool } from "../../src/contract/index.ts"
import { type HttpGround, openHttpGround } from "../mcp/http-ground.ts"
import { connectOlder, newer, send } from "../mcp/raw-client.ts"
import { meaningOf, meaningOfValue, nearMessages } from "./near-messages.ts"
import { createRandom, type Random } from "./random.ts"

const echo = defineTool({
  name: "test.echo",
  description: "Says it again.",
  input: {
    type: "object",
    properties: { word: { type: "string" } },
    additionalProperties: false,
  } as const,
  run: ({ word = "" }) => ({ word }),
})

/** As many as the test likes. */
const limits = {
  requestRate: { everySecond: 1e6, atOnce: 1e6 },
  strangerRate: { everySecond: 1e6, atOnce: 1e6 },
}

let ground: HttpGround
const thrown: unknown[] = []
const note = (error: unknown) => void thrown.push(error)
beforeAll(async () => {
  process.on("unhandledRejection", note).on("uncaughtException", note)
  ground = await openHttpGround({ tools: () => [echo], limits })
})
afterAll(async () => {
  process.off("unhandledRejection", note).off("uncaughtException", note)
  agent.destroy()
  await ground[Symbol.asyncDispose]()
})

/** A plain client of each generation is served as ever, and nothing was thrown that nobody caught. */
async function isAsEver(): Promise<void> {
  const answer = await send(ground, newer("tools/list", {}, { name: "plain" }))
  await answer.ended
  expect(answer.messages().at(-1)?.result?.tools.length).toBeGreaterThan(5)
  const { post } = await connectOlder(ground)
  const listed = await post({ id: 1, method: "tools/list" })
  await listed.ended
  expect(listed.messages().at(-1)?.result?.tools.length).toBeGreaterThan(5)
  expect(thrown).toEqual([])
}

/** So many at once, until all are done. */
async function eachOf<Case>(
  cases: readonly Case[],
  atOnce: number,
  attempt: (one: Case) => Promise<void>,
): Promise<void> {
  const left = cases.values()
  const work = async () => {
    for (const one of left) await attempt(one)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const agent = new Agent({ keepAlive: true, maxSockets: 24 })

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Whole, or that it never came. */
function exchange({ method, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent, timeout: 100_000 }
    const outgoing = request(ground.url, options, (incoming) => {
      let text = ""
      const isStream = method === "GET" && incoming.statusCode === 200
      const done = () => resolve({ status: incoming.statusCode ?? 0, text })
      // Goes on as long as somebody listens.
      if (isStream) {
        done()
        incoming.on("error", () => {}).destroy()
        return
      }
      incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      incoming.on("end", done).on("error", reject)
    })
    outgoing.on("timeout", () => outgoing.destroy(new Error("No answer came.")))
    outgoing.on("error", (error) => {
      // The server closed a connection that did nothing at the very moment that it was used again.
      const isLate = outgoing.reusedSocket && "code" in error && error.code === "ECONNRESET"
      if (isLate) exchange({ method, headers, body }).then(resolve, reject)
      else reject(error)
    })
    outgoing.end(body)
  })
}

function answersIn({ text }: Answer): unknown[] {
  const all = text.startsWith("{") || text.startsWith("[") ? [text] : []
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, one]) => one ?? "")
  return [...all, ...events]
    .flatMap((one) => JSON.parse(one))
    .filter((message) => "result" in message || "error" in message)
    .map(({ id }) => id ?? null)
}

/** Which answers a body should have: by id, or the one refusal of all of it. */
function expectedOf(text: string): readonly (string | number)[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  const all = (Array.isArray(value) ? value : [value]).map(meaningOfValue)
  return all.flatMap((one) => (one.kind === "request" ? [one.id] : []))
}

const odd = ["", "\u00ff", "x".repeat(3_000), "0", "-1", "null", "../..", "%00", "a,b", '"']

const meta = {
  [PROTOCOL_VERSION_META_KEY]: "2026-07-28",
  [CLIENT_INFO_META_KEY]: { name: "fuzz", version: "1.0.0" },
  [CLIENT_CAPABILITIES_META_KEY]: {},
}

function headersFor(random: Random, right: Readonly<Record<string, string>>) {
  const headers: Record<string, string> = {
    authorization: `Bearer ${ground.token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...right,
  }
  if (random.chance(0.75)) return headers
  const names = [...Object.keys(headers), "last-event-id", "mcp-method", "mcp-name", "origin"]
  const name = random.pick(names)
  if (random.chance(0.3)) delete headers[name]
  else headers[name] = random.chance(0.5) ? random.pick(odd) : `${headers[name] ?? ""}x`
  return headers
}

function bodyFor(random: Random, text: () => string, mayBeArray: boolean): Buffer {
  const count = mayBeArray && random.chance(0.3) ? random.below(5) : null
  const body = count === null ? text() : `[${Array.from({ length: count }, text).join(",")}]`
  const bytes = Buffer.from(body)
  if (bytes.length > 0 && random.chance(0.02)) bytes[random.below(bytes.length)] = 0xff
  return bytes
}

it.each(["2025-11-25", "2025-03-26", "2026-07-28"])(
  "F20: 1,000 requests over HTTP, nearly of %s: each has one answer, none is the server's mistake",
  async (version) => {
    const random = createRandom(20261117)
    const isNewer = version === "2026-07-28"
    const messages = nearMessages(random, isNewer ? meta : undefined)
    const right = isNewer
      ? { "mcp-protocol-version": version }
      : (await connectOlder(ground, {}, version)).headers
    const cases = Array.from({ length: 1_000 }, (): Sent => {
      const body = bodyFor(random, messages.text, version === "2025-03-26")
      const method = random.chance(0.97) ? "POST" : random.pick(["GET", "PUT", "OPTIONS", "HEAD"])
      const named = /"method":"([\w/]+)"/.exec(body.toString())?.[1]
      const about = isNewer && named ? { "mcp-method": named } : {}
      const tool = /"name":"(\w+)"/.exec(body.toString())?.[1]
      const name = isNewer && named === "tools/call" && tool ? { "mcp-name": tool } : {}
      const headers = headersFor(random, { ...right, ...about, ...name })
      return { method, headers, body: method === "POST" ? body : Buffer.alloc(0) }
    })
    const wrong: string[] = []
    let answered = 0
    let refused = 0
    await eachOf(cases, 24, async (one) => {
      const text = one.body.toString("utf8")
      const about = (what: string) =>
        wrong.push(`${what} ${JSON.stringify(one.headers)} ${text.slice(0, 300)}`)
      let answer: Answer
      try {
        answer = await exchange(one)
      } catch (error) {
        about(String(error))
        return
      }
      if (answer.status >= 500 || answer.status < 200) about(`${answer.status} ${answer.text}`)
      if (one.method !== "POST") return
      const got = answersIn(answer)
      if (answer.status === 200) {
        answered += 1
        const expected = expectedOf(text)
        const isRight =
          JSON.stringify(got.map(String).sort()) === JSON.stringify(expected.map(String).sort())
        if (!isRight) about(`answers to ${JSON.stringify(got)}`)
      } else if (answer.status === 202) {
        if (meaningOf(text).kind === "request") about("202")
      } else {
        refused += 1
        if (got.length !== 1) about(`${answer.status} with ${got.length} answers: ${answer.text}`)
      }
    })
    expect(wrong.slice(0, 10)).toEqual([])
    // Neither all right nor all wrong: that would prove nothing.
    expect(answered).toBeGreaterThan(200)
    expect(refused).toBeGreaterThan(100)
    await isAsEver()
  },
  120_000,
)

let pings = 0
const ping = () => {
  pings += 1
  return `{"jsonrpc":"2.0","id":${pings},"method":"ping"}`
}

/** The bytes of a request, nearly as HTTP has it. */
function nearRequest(random: Random, session: string): Buffer {
  const body = random.chance(0.7) ? ping() : ""
  const length = random.chance(0.8) ? body.length : random.pick([0, 5, 10_000, -1, 1e20])
  const start = random.chance(0.7)
    ? "POST /mcp HTTP/1.1"
    : random.pick([
        ...["GET /mcp HTTP/1.1", "POST /mcp?session=%FF HTTP/1.1", "POST //mcp HTTP/1.1"],
        ...[
          "POST http://127.0.0.1/mcp HTTP/1.1",
          "POST * HTTP/1.1",
          "CONNECT 127.0.0.1:1 HTTP/1.1",
        ],
        ...["POST /mcp HTTP/1.0", "POST /mcp HTTP/2.0", "PRI * HTTP/2.0", "POST /mcp", "\u0000"],
        ...["TRACE /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1", "POST /%zz%00?session=%zz HTTP/1.1"],
        ...[
          "POST /mcp?session=a&session=b#c HTTP/1.1",
          "post /mcp HTTP/1.1",
          `GET /${"a".repeat(9_000)} HTTP/1.1`,
        ],
        ...["POST http://[::1/mcp HTTP/1.1", "POST http://a@b:99999/mcp HTTP/1.1"],
      ])
  const lines = [
    random.chance(0.95)
      ? "Host: 127.0.0.1"
      : random.pick(["Host:", "Host: a b", "Host: [", "X: y", "Host: é", "Host: 127.0.0.1:x"]),
    random.chance(0.9) ? `Authorization: Bearer ${ground.token}` : "Authorization: Bearer \u0001",
    "Accept: application/json, text/event-stream",
    "Content-Type: application/json",
    // Nobody says goodbye for it: the others need it.
    ...(random.chance(0.8) && !start.startsWith("DELETE") ? [`Mcp-Session-Id: ${session}`] : []),
  ]
  const chunked = random.chance(0.15)
  lines.push(chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`)
  for (let more = random.below(3); more > 0; more -= 1) {
    lines.splice(random.below(lines.length + 1), 0, random.pick(oddLines))
  }
  const sentBody = chunked ? random.pick(chunks)(body) : body
  const whole = `${start}\r\n${lines.join("\r\n")}\r\n\r\n${sentBody}`
  const bytes = Buffer.from(random.chance(0.1) ? whole.replaceAll("\r\n", "\n") : whole, "latin1")
  for (let flips = random.chance(0.2) ? 1 + random.below(3) : 0; flips > 0; flips -= 1) {
    bytes[random.below(bytes.length)] = random.below(256)
  }
  const again = random.chance(0.15) ? Buffer.concat([bytes, bytes]) : bytes
  return random.chance(0.1) ? again.subarray(0, random.below(again.length)) : again
}

const oddLines = [
  ...[
    "X-Odd: \u0000",
    "X Odd: 1",
    ": no name",
    "No colon",
    " folded: line",
    "X-Odd: \u0007",
    "Expect: 100-continue",
  ],
  ...[
    "Expect: nothing",
    "Upgrade: websocket\r\nConnection: Upgrade",
    "Connection: close",
    "Connection: keep-alive, x",
  ],
  ...[
    "Content-Length: 3",
    "Transfer-Encoding: gzip",
    "Transfer-Encoding: chunked",
    "Content-Encoding: gzip",
  ],
  ...[
    "Last-Event-ID: 1",
    "Last-Event-ID: \u00ff",
    "Mcp-Session-Id: other",
    "MCP-Protocol-Version: 1999-01-01",
  ],
  ...[
    "Trailer: X",
    "Origin: http://evil.example",
    "Origin: null",
    "Cookie: a=b",
    `X-Long: ${"a".repeat(20_000)}`,
  ],
]

const chunks: readonly ((body: string) => string)[] = [
  (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  (body) => `${body.length.toString(16)};odd="\r\n${body}\r\n0\r\n\r\n`,
  (body) => `ffffffffffffffff\r\n${body}`,
  (body) => `-1\r\n${body}\r\n0\r\n\r\n`,
  () => "0\r\nX: y\r\n\r\n",
  (body) => body,
]

it("F20: 2,000 connections that nearly speak HTTP: each is answered or closed, none is the server's mistake", async () => {
  const random = createRandom(20261118)
  const { session } = await connectOlder(ground)
  const port = Number(new URL(ground.url).port)
  const cases = Array.from({ length: 2_000 }, () => ({
    bytes: nearRequest(random, session),
    cutAt: random.chance(0.15) ? random.next() : 1,
    split: random.chance(0.3),
  }))
  const statuses = new Map<string, number>()
  const wrong: string[] = []
  await eachOf(cases, 100, async ({ bytes, cutAt, split }) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    socket.on("error", () => {}).setEncoding("latin1")
    socket.on("data", (piece: string) => (text += piece))
    await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", resolve))
    const sent = bytes.subarray(0, Math.floor(bytes.length * cutAt))
    if (split) {
      const middle = Math.floor(sent.length / 2)
      socket.write(sent.subarray(0, middle))
      await new Promise(setImmediate)
      socket.write(sent.subarray(middle))
    } else socket.write(sent)
    // Half of them leave in the middle; the others say that they have no more to say.
    if (cutAt < 0.5) socket.destroy()
    else socket.end()
    await closed
    for (const [, status = ""] of text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (Number(status) >= 500)
        wrong.push(`${status} to ${bytes.toString("latin1").slice(0, 300)}`)
    }
    if (text !== "" && !/^HTTP\/1\.1 \d{3} /.test(text)) wrong.push(text.slice(0, 300))
  })
  expect(wrong.slice(0, 10)).toEqual([])
  expect(statuses.get("200")).toBeGreaterThan(100)
  expect(statuses.get("400")).toBeGreaterThan(300)
  await isAsEver()
}, 600_000)
