import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http"
import type { Workspace } from "../../../src/contract/index.ts"

/** A server inside that does what servers do, well and badly. */
const serverScript = `
const http = require("node:http"), net = require("node:net"), crypto = require("node:crypto")
const piece = Buffer.alloc(65536, "x")
const send = async (response, bytes) => {
  for (let left = bytes; left > 0; left -= piece.length) {
    if (response.destroyed) return
    if (!response.write(piece.subarray(0, Math.min(left, piece.length)))) await new Promise((resume) => response.once("drain", resume).once("close", resume))
    sent += Math.min(left, piece.length)
  }
  response.end()
}
let sent = 0
const routes = {
  "/": (_, response) => response.setHeader("Content-Type", "text/html").end("<h1>Open</h1>"),
  "/seen": (request, response) => response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers })),
  "/echo": (request, response) => request.pipe(response),
  "/count": (request, response) => { let count = 0; request.on("data", (data) => { count += data.length }).on("end", () => response.end(String(count))) },
  "/big": (request, response) => { sent = 0; void send(response, Number(new URL(request.url, "http://x").searchParams.get("bytes"))) },
  "/sent": (_, response) => response.end(String(sent)),
  "/cookies": (_, response) => response.writeHead(200, [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"], ["Keep-Alive", "timeout=99"], ["X-Hop", "1"], ["Connection", "X-Hop"]].flat()).end(),
  "/unchanged": (_, response) => response.writeHead(304, { ETag: '"1"' }).end(),
  "/nothing": (_, response) => response.writeHead(204).end(),
  "/events": (_, response) => { response.writeHead(200, { "Content-Type": "text/event-stream" }); next = () => response.end("data: two\\n\\n"); response.write("data: one\\n\\n") },
  "/next": (_, response) => { next(); response.end() },
  "/enough": (request, response) => { response.writeHead(413, { Connection: "close" }).end("too much"); setTimeout(() => request.destroy(), 200) },
  "/cut": (_, response) => { response.writeHead(200, { "Content-Length": 1000 }); response.write("half"); setTimeout(() => response.destroy(), 50) },
}
let next = () => {}
const server = http.createServer((request, response) => {
  const route = routes[new URL(request.url, "http://x").pathname]
  if (route) route(request, response)
  else response.writeHead(404).end("no such page")
})
server.on("upgrade", (request, socket) => {
  if (request.url === "/refused") return socket.end("HTTP/1.1 401 Unauthorized\\r\\nContent-Length: 2\\r\\n\\r\\nno")
  const accept = crypto.createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64")
  socket.on("error", () => {}).write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: " + accept + "\\r\\n\\r\\n")
  let rest = Buffer.alloc(0)
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data])
    for (;;) {
      const short = rest[1] & 127, at = short < 126 ? 2 : short === 126 ? 4 : 10
      if (rest.length < at) return
      const size = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
      if (rest.length < at + 4 + size) return
      const mask = rest.subarray(at, at + 4), body = Buffer.from(rest.subarray(at + 4, at + 4 + size)).map((byte, index) => byte ^ mask[index % 4])
      const head = Buffer.from(rest.subarray(0, at)); head[1] &= 127
      socket.write(Buffer.concat([head, body]))
      if ((head[0] & 15) === 8) return socket.end()
      rest = rest.subarray(at + 4 + size)
    }
  })
})
server.listen(8000, "0.0.0.0")
net.createServer((peer) => peer.on("error", () => {}).once("data", () => peer.end("I speak no HTTP at all\\r\\n\\r\\n"))).listen(8001)
net.createServer((peer) => {
  peer.on("error", () => {}).write("HTTP/1.1 200 OK\\r\\n")
  const go = () => { while (!peer.destroyed && peer.write("X-More: " + "y".repeat(1000) + "\\r\\n")); }
  peer.on("drain", go); go()
}).listen(8002)
net.createServer((peer) => peer.on("error", () => {}).pause()).listen(8004)
net.createServer((peer) => peer.on("error", () => {}).resume()).listen(8003)
`

/** Its ports: 8000 speaks HTTP, 8001 something else, 8002 headers without an end, 8003 says nothing, 8004 does not even read. */
export async function startServerInside(workspace: Workspace): Promise<void> {
  const [program = "node"] = workspace.can.languages.javascript ?? []
  // Its first use puts Node there.
  await workspace.runCode("javascript", "0")
  await workspace.writeFile("server.cjs", serverScript)
  await workspace.processes.start([program, "server.cjs"])
  for (let tries = 2_000; ; tries -= 1) {
    try {
      ;(await workspace.connect(8003)).close()
      return
    } catch (error) {
      if (tries === 0) throw error
      await new Promise((resume) => setTimeout(resume, 50))
    }
  }
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

/** A request as a browser sends it that has looked `*.localhost` up; not every system's resolver has it. */
export function ask(url: string, options: RequestOptions = {}): ClientRequest {
  const { host, port, pathname, search } = new URL(url)
  const headers = { Host: host, ...(options.headers as Readonly<Record<string, string>>) }
  const where = { host: "127.0.0.1", port, path: pathname + search }
  return request({ ...where, ...options, headers })
}

export function responseOf(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once("response", resolve).on("error", reject)
  })
}

export async function get(url: string, options?: RequestOptions): Promise<Answered> {
  return read(ask(url, options).end())
}

export async function read(asked: ClientRequest): Promise<Answered> {
  const response = await responseOf(asked)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString() }
}
