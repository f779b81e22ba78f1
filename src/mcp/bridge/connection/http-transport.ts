import type { AuthProvider, JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { HttpServer } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cutDepth } from "./clean-text.ts"
import { fillInTexts } from "./fill-in-variables.ts"

const { messageBytes, messageDepth, reopenMs, reopenMsMost, unreadAnswers } = bridgeLimits

/** A connection to a server. */
export interface Channel {
  readonly transport: Transport
  /** Why it ended; null while it is open, or when it was closed from here. */
  readonly whyEnded: () => string | null
}

/** How requests are authorized. */
export interface HttpAuth extends AuthProvider {
  /** Called with each answer 401, and the Authorization that was refused. */
  onRefusal?(response: Response, authorization: string | null): void
}

export async function httpTransport(
  server: HttpServer,
  environment: NodeJS.ProcessEnv,
  auth?: HttpAuth,
): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
  const headers = fillInTexts(server.headers, { what: "header", environment })
  requireHeaders(headers)
  let why: string | null = null
  const end = (reason: string) => {
    why = reason
    void transport.close()
  }
  const bounded = boundedFetch(() =>
    end(`It sent a message larger than ${messageBytes / 1024 ** 2} MiB.`),
  )
  const transport = new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers },
    ...(auth && { authProvider: auth }),
    reconnectionScheduler: reopenLater,
    async fetch(address, init) {
      const response = await bounded(address, init)
      if (response.status === 401) {
        auth?.onRefusal?.(response, new Headers(init?.headers).get("authorization"))
      }
      return response
    },
  })
  guardDepth(transport)
  guardAnswers(transport, () => end("It does not accept the answers to its own requests."))
  return { transport, whyEnded: () => why }
}

export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t -~\u0080-\u00ff]*$/

/** Checked here because fetch would quote a value that can't be sent, and it may be a secret. */
function requireHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name)) throw unusable("One of its headers has an invalid name.")
    if (headerValue.test(value.trim())) continue
    throw unusable(`Its header ${name} has a line break or another character that can't be sent.`)
  }
}

function unusable(message: string): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message, retryable: false })
}

/** Neither at once nor never, though a server may ask for either. */
function reopenLater(reopen: () => void, delayMs: number): () => void {
  const wait = delayMs >= reopenMs ? Math.min(delayMs, reopenMsMost) : reopenMs
  const timer = setTimeout(reopen, wait)
  return () => clearTimeout(timer)
}

/** A server can send requests faster than it takes the answers, each of which is a request of its own. */
function guardAnswers(transport: Transport, onTooMany: () => void): void {
  const send = transport.send.bind(transport)
  let waiting = 0
  transport.send = async (message, options) => {
    if ("method" in message) return send(message, options)
    waiting += 1
    if (waiting > unreadAnswers) onTooMany()
    try {
      await send(message, options)
    } finally {
      waiting -= 1
    }
  }
}

/** No listener gets a message that nests deeper than its reader can follow. */
function guardDepth(transport: Transport): void {
  let listener: Transport["onmessage"]
  const guarded: Transport["onmessage"] = (message, extra) => {
    cutDepth(message, messageDepth)
    listener?.(message, extra)
  }
  Object.defineProperty(transport, "onmessage", {
    get: () => listener && guarded,
    set: (next: ((message: JSONRPCMessage) => void) | undefined) => {
      if (next !== guarded) listener = next
    },
  })
}

/** `fetch` whose answers end when a message in them is too large. */
function boundedFetch(onTooLarge: () => void): typeof fetch {
  return async (address, init) => {
    const response = await fetch(address, init)
    if (!response.body) return response
    if (response.status > 599) throw new Error(`There is no status ${response.status}.`)
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
    let size = 0
    const count = isStream ? countEvent() : (piece: Uint8Array) => (size += piece.length)
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        if (count(piece) <= messageBytes) return controller.enqueue(piece)
        onTooLarge()
        controller.error(new Error("The message is too large."))
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(bounded), { status, statusText, headers })
  }
}

const newline = 10
const carriageReturn = 13

/** How many bytes have come since the last empty line, which ends an event. */
function countEvent(): (piece: Uint8Array) => number {
  let size = 0
  let line = 0
  return (piece) => {
    for (const byte of piece) {
      size += 1
      if (byte === newline) {
        if (line === 0) size = 0
        line = 0
      } else if (byte !== carriageReturn) line += 1
    }
    return size
  }
}
