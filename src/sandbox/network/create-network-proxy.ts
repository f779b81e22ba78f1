import { timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { ListenOptions } from "node:net"
import type { Duplex } from "node:stream"
import { ownConnections } from "../../node/index.ts"
import { networkLimits } from "../limits.ts"
import type { DomainRule } from "./domain-rule.ts"
import { forwardRequest, openTunnel } from "./forward-request.ts"
import { createOutboundConnections, type OutboundOptions } from "./outbound-connections.ts"

/** Speaks HTTP with what runs in one sandbox or browser, and passes on what its rules allow. */
export interface NetworkProxy {
  /** The port, where it listens on one; 0 otherwise. */
  listen(where: ListenOptions): Promise<number>
  /** A client that has come in another way. */
  accept(client: Duplex): void
  /** From now on; what is open and no longer allowed is ended. */
  setRules(rules: readonly DomainRule[]): void
  /** Ends every connection. */
  close(): Promise<void>
}

interface NetworkProxyOptions extends OutboundOptions {
  /** Without them, anyone who can connect may use the proxy. */
  readonly credentials?: ProxyCredentials
}

export function createNetworkProxy(options: NetworkProxyOptions): NetworkProxy {
  const outbound = createOutboundConnections(options)
  const { connections, headerBytes, headerMs, idleMs } = networkLimits
  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: true,
    maxHeaderSize: headerBytes,
    headersTimeout: headerMs,
    connectionsCheckingInterval: headerMs,
    // An upload may take as long as it moves.
    requestTimeout: 0,
  })
  ownConnections(server, "a connection to a sandbox's proxy")
  server.maxConnections = connections
  server.timeout = idleMs
  const clients = new Set<{ destroy(): void }>()
  server.on("connection", (client) => {
    clients.add(client)
    client.once("close", () => clients.delete(client))
  })
  const isKnown = requireAuth(options.credentials)
  server.on("request", (message, response) => {
    if (!isKnown(message)) {
      response.writeHead(407, authRequiredHeaders).end()
      return
    }
    forwardRequest(message, response, outbound).catch(() => response.destroy())
  })
  server.on("connect", (message, client, head) => {
    if (!isKnown(message)) {
      client.on("error", () => {}).end(authRequiredMessage, () => client.destroy())
      return
    }
    openTunnel(message, client, { head, outbound }).catch(() => client.destroy())
  })

  return {
    listen: (where) =>
      new Promise((resolve, reject) => {
        server.once("error", reject).listen(where, () => {
          server.off("error", reject).on("error", () => {})
          const address = server.address()
          resolve(typeof address === "object" ? (address?.port ?? 0) : 0)
        })
      }),
    accept: (client) => void server.emit("connection", client),
    setRules: (rules) => outbound.setRules(rules),
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      outbound.endAll()
      for (const client of clients) client.destroy()
      await closed
    },
  }
}

/** Credentials that a proxy requires. */
export interface ProxyCredentials {
  readonly username: string
  readonly password: string
}

const authRequiredHeaders = {
  "Proxy-Authenticate": 'Basic realm="toolkeep"',
  "Content-Length": "0",
  // A client that does not know them must not use this connection.
  Connection: "close",
} as const

const authRequiredMessage = [
  "HTTP/1.1 407 Proxy Authentication Required",
  ...Object.entries(authRequiredHeaders).map((pair) => pair.join(": ")),
  "\r\n",
].join("\r\n")

/** Whether a request has the credentials; every request has where none are required. */
function requireAuth(credentials?: ProxyCredentials): (message: IncomingMessage) => boolean {
  if (!credentials) return () => true
  const { username, password } = credentials
  const expected = Buffer.from(
    `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    "latin1",
  )
  return ({ headers }) => {
    const given = Buffer.from(headers["proxy-authorization"] ?? "", "latin1")
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
