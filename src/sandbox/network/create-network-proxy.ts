import { createServer } from "node:http"
import type { ListenOptions } from "node:net"
import { limits } from "../../contract/index.ts"
import { ownConnections } from "../../node/index.ts"
import type { DomainRule } from "./domain-rule.ts"
import { forwardRequest } from "./forward-request.ts"
import { openTunnel } from "./open-tunnel.ts"
import { createPassages, type PassageParts } from "./outbound-connections.ts"
import {
  askingForCredentials,
  credentialsMessage,
  type ProxyCredentials,
  recognise,
} from "./proxy-auth.ts"

/** Speaks HTTP with what runs in one sandbox or browser, and passes on what its rules allow. */
export interface NetworkProxy {
  /** The port, where it listens on one; 0 otherwise. */
  listen(where: ListenOptions): Promise<number>
  /** From now on; what is open and no longer allowed is ended. */
  setRules(rules: readonly DomainRule[]): void
  /** Ends every connection. */
  close(): Promise<void>
}

export interface NetworkProxyParts extends PassageParts {
  /** Without it, whoever can connect may use the proxy. */
  readonly credentials?: ProxyCredentials
}

export function createNetworkProxy(parts: NetworkProxyParts): NetworkProxy {
  const passages = createPassages(parts)
  const { connections, headerBytes, headerMs, idleMs } = limits.network
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
  const isKnown = recognise(parts.credentials)
  server.on("request", (message, response) => {
    if (!isKnown(message)) {
      response.writeHead(407, askingForCredentials).end()
      return
    }
    forwardRequest(message, response, passages).catch(() => response.destroy())
  })
  server.on("connect", (message, client, head) => {
    if (!isKnown(message)) {
      client.on("error", () => {}).end(credentialsMessage, () => client.destroy())
      return
    }
    openTunnel(message, client, { head, passages }).catch(() => client.destroy())
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
    setRules: (rules) => passages.setRules(rules),
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      passages.endAll()
      for (const client of clients) client.destroy()
      await closed
    },
  }
}
