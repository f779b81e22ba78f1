import type { AuthProvider, JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { HttpServer } from "../../../config/index.ts"
import { limits } from "../../../contract/index.ts"
import { fillInVariables } from "../config/fill-in-variables.ts"
import { boundedFetch } from "./bounded-fetch.ts"
import { cutDepth } from "./cut-depth.ts"
import { requireHeaders } from "./require-headers.ts"

const { messageBytes, messageDepth, reopenMs, reopenMsMost, unreadAnswers } = limits.bridge

export interface HttpTransport {
  readonly transport: Transport
  /** Why the connection was ended from here; null while it was not. */
  readonly whyEnded: () => string | null
}

/** How requests get in. */
export interface Entrance extends AuthProvider {
  /** Told of each answer that refuses, with the Authorization that was refused. */
  onRefusal?(response: Response, authorization: string | null): void
}

export async function httpTransport(
  server: HttpServer,
  environment: NodeJS.ProcessEnv,
  entrance?: Entrance,
): Promise<HttpTransport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
  const headers = fillInVariables(server.headers, { what: "header", environment })
  requireHeaders(headers)
  let why: string | null = null
  const bounded = boundedFetch(() => {
    why = `It sent a message larger than ${messageBytes / 1024 ** 2} MiB.`
    void transport.close()
  })
  const transport = new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers },
    ...(entrance && { authProvider: entrance }),
    reconnectionScheduler: reopenLater,
    async fetch(address, init) {
      const response = await bounded(address, init)
      if (response.status === 401) {
        entrance?.onRefusal?.(response, new Headers(init?.headers).get("authorization"))
      }
      return response
    },
  })
  guardDepth(transport)
  guardAnswers(transport, () => {
    why = "It does not take the answers to its own requests."
    void transport.close()
  })
  return { transport, whyEnded: () => why }
}

/** Neither at once nor never, though a server may ask for either. */
function reopenLater(reopen: () => void, delayMs: number): () => void {
  const wait = delayMs >= reopenMs ? Math.min(delayMs, reopenMsMost) : reopenMs
  const timer = setTimeout(reopen, wait)
  return () => clearTimeout(timer)
}

/** A server can ask faster than it takes answers, each of which is a request of its own. */
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

/** Whoever listens to messages gets none that nests deeper than what reads it can follow. */
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
