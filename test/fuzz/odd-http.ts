import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"
import { mutateBytes, mutateMessage } from "./mutate-message.ts"
import type { Random } from "./random.ts"
import { describedTool, notifications, plainResult, requests } from "./server-messages.ts"

interface OddHttp {
  readonly url: string
  /** How many messages and tools were wrong in some way. */
  readonly sent: () => number
}

/**
 * MCP over HTTP whose answers are nearly right: wrong messages stand before the right one, and now and then the
 * answer itself, its framing, its status or its headers are wrong. At `/good` all is well.
 */
export async function serveOddly(random: Random): Promise<OddHttp> {
  let sent = 0
  const odd = <Value>(value: Value) => {
    sent += 1
    return mutateMessage(value, random)
  }
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => "")
    if (request.url === "/good") {
      const answer = JSON.stringify(
        answerTo(body, { tools: [{ name: "echo", inputSchema: anything }] }),
      )
      const status = body.includes('"id"') ? 200 : 202
      return void response.writeHead(status, { "content-type": "application/json" }).end(answer)
    }
    if (random.chance(0.01)) return request.socket.destroy()
    const tools = Array.from({ length: 15 }, (_, index) => odd(describedTool(`tool${index}`)))
    const answer = answerTo(body, {
      tools,
      call: random.chance(0.5) ? plainResult : odd(plainResult),
    })
    request.socket.end(bytesOf(random.chance(0.03) ? odd(answer) : answer, random, odd))
  })
  server.on("clientError", (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent }
}

const anything = { type: "object", additionalProperties: true }

function answerTo(body: string, { tools, call }: { tools: unknown[]; call?: unknown }): object {
  const { id, method, params } = JSON.parse(body || "{}")
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion ?? "2025-06-18",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "odd", version: "1" },
    },
    "tools/list": { tools },
    "tools/call": call ?? { content: [{ type: "text", text: params?.arguments?.text }] },
  }
  const result = results[method]
  const error = { code: -32_601, message: "There is no such method." }
  return { jsonrpc: "2.0", id, ...(result ? { result } : { error }) }
}

/** The whole answer as bytes on the connection. */
function bytesOf(answer: unknown, random: Random, odd: (value: unknown) => unknown): Buffer {
  const rarely = <Value>(values: readonly Value[], usual: Value) =>
    random.chance(0.015) ? random.pick(values) : usual
  const isStream = random.chance(0.6)
  const content = isStream ? streamOf(answer, random, odd) : (JSON.stringify(answer) ?? "")
  const bytes = random.chance(0.02) ? mutateBytes(content, random) : Buffer.from(content)
  const status = rarely(statuses, "200 OK")
  const type = rarely(types, isStream ? "text/event-stream" : "application/json")
  const length = rarely(["0", "-1", "99999999", "abc"], String(bytes.length))
  const more = rarely(headers, "X-Odd: 1")
  const head = [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, `Content-Length: ${length}`, more]
  return Buffer.concat([
    Buffer.from(`${head.join("\r\n")}\r\nConnection: close\r\n\r\n`, "latin1"),
    bytes,
  ])
}

const statuses = [
  ...["099 Odd", "100 Continue", "204 None", "302 Found", "401 No", "403 No", "404 Gone"],
  ...["500 Error", "599 Odd", "999 Odd", "abc"],
]
const types = ["text/html", "", "application/json; charset=\u00ff", "text/event-streamx"]
const headers = [
  "Mcp-Session-Id: \u0001\u007f",
  `Mcp-Session-Id: ${"x".repeat(9_000)}`,
  "WWW-Authenticate: Bearer",
  'WWW-Authenticate: Bearer error="insufficient_scope", scope="\u00ff"',
  "Location: file:///etc/passwd",
  "Location: http://[::",
  "Content-Encoding: gzip",
  "Transfer-Encoding: chunked",
]

const oddLines = [
  ...[
    "retry: 0",
    "retry: 99999999999",
    "id: \u0000",
    "id",
    ": comment",
    "data",
    ":",
    "event: message",
  ],
  "\ufeffdata: x",
]

function streamOf(answer: unknown, random: Random, odd: (value: unknown) => unknown): string {
  const end = random.pick(["\n", "\r\n", "\r"])
  const other = { ...Object(answer), id: 1e9 }
  const events = [...notifications, ...requests, other].map(odd)
  return [...events, answer]
    .map((event) => {
      const before = random.chance(0.3) ? [random.pick(oddLines)] : []
      return [...before, `data: ${JSON.stringify(event)}`, "", ""].join(end)
    })
    .join("")
}
