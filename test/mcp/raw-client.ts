import { type IncomingHttpHeaders, request } from "node:http"
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server"
import type { HttpGround } from "./http-ground.ts"

/** What the server has sent so far. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: () => string
  /** The messages in it, as a stream's events or as one body. */
  readonly messages: () => RawMessage[]
  /** The id of the last event. */
  readonly lastId: () => string
  /** Resolves when it is whole or its connection is gone. */
  readonly ended: Promise<void>
  readonly isComplete: () => boolean
  readonly pause: () => void
  readonly resume: () => void
  /** Cuts the connection, as a lost network does. */
  readonly cut: () => void
}

export interface RawMessage {
  readonly id?: number | string | null
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends can be anything, and tests match it.
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

export interface RawRequest {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Nothing is read of the answer until then. */
  readonly paused?: boolean
}

type Server = Pick<HttpGround, "url" | "token">

/** A client that sends what it likes, on a connection of its own. */
export function send({ url, token }: Server, sent: RawRequest): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const { body, method = body === undefined ? "GET" : "POST", paused = false } = sent
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...sent.headers,
  }
  const outgoing = request(url, { method, headers, agent: false }, (incoming) => {
    let text = ""
    incoming.setEncoding("utf8")
    const ended = new Promise<void>((done) => incoming.once("close", done))
    incoming.on("error", () => {})
    const listen = () => incoming.on("data", (piece: string) => (text += piece))
    if (!paused) listen()
    resolve({
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      text: () => text,
      messages: () => messagesIn(text),
      lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "",
      ended,
      isComplete: () => incoming.complete,
      pause: () => void incoming.pause(),
      resume: () => void (incoming.listenerCount("data") > 0 ? incoming.resume() : listen()),
      cut: () => void incoming.socket.destroy(),
    })
  })
  outgoing.on("error", reject)
  if (body === undefined) outgoing.end()
  else outgoing.end(typeof body === "string" ? body : JSON.stringify(body))
  return promise
}

function messagesIn(text: string): RawMessage[] {
  if (text.startsWith("{") || text.startsWith("[")) return [JSON.parse(text)].flat()
  const data = [...text.matchAll(/^data: (.+)$/gm)]
  return data.map(([, one]) => JSON.parse(one ?? ""))
}

/** A session of the older generation. */
export async function connectOlder(server: Server, capabilities: object = {}, version = older) {
  const clientInfo = { name: "raw", version: "1.0.0" }
  const params = { protocolVersion: version, capabilities, clientInfo }
  const opened = await send(server, {
    body: { jsonrpc: "2.0", id: "connect", method: "initialize", params },
  })
  await opened.ended
  const session = String(opened.headers["mcp-session-id"])
  const headers = { "mcp-session-id": session, "mcp-protocol-version": version }
  const post = (message: object, more: Partial<RawRequest> = {}) =>
    send(server, { ...more, headers, body: { jsonrpc: "2.0", ...message } })
  await post({ method: "notifications/initialized" })
  return { status: opened.status, opened, session, headers, post }
}

/** One request of the newer generation. */
export function newer(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  client: { readonly name?: string; readonly capabilities?: object } = {},
): RawRequest {
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: latest,
    [CLIENT_INFO_META_KEY]: { name: client.name ?? "raw", version: "1.0.0" },
    [CLIENT_CAPABILITIES_META_KEY]: client.capabilities ?? {},
  }
  return {
    body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    headers: {
      "mcp-protocol-version": latest,
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
    },
  }
}

const older = "2025-11-25"
const latest = "2026-07-28"
