import { createServer, type RequestListener, type Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { limits } from "../../contract/index.ts"
import { ownConnections } from "../../node/index.ts"
import { listenOnLoopback } from "./listen-on-loopback.ts"

export interface PreviewServer {
  readonly port: number
  close(): Promise<void>
}

export interface PreviewHandlers {
  readonly handleRequest: RequestListener
  readonly handleUpgrade: (
    message: Parameters<RequestListener>[0],
    client: Duplex,
    head: Buffer,
  ) => void
}

/** A small server of its own for previews, which only this machine reaches. */
export async function servePreviews(handlers: PreviewHandlers): Promise<PreviewServer> {
  const clients = new Set<Socket>()
  const { port, servers } = await listenOnLoopback(() => create(handlers, clients))
  return {
    port,
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const client of clients) client.destroy()
      await Promise.all(closed)
    },
  }
}

function create({ handleRequest, handleUpgrade }: PreviewHandlers, clients: Set<Socket>): Server {
  const server = createServer({
    requireHostHeader: true,
    maxHeaderSize: limits.preview.headerBytes,
    headersTimeout: limits.preview.headerMs,
    // An upload may take as long as it moves.
    requestTimeout: 0,
  })
  ownConnections(server, "a connection to a preview")
  server.maxConnections = limits.preview.clients
  server.timeout = limits.preview.idleMs
  server.on("connection", (client: Socket) => {
    clients.add(client)
    client.once("close", () => clients.delete(client))
  })
  return server.on("request", handleRequest).on("upgrade", handleUpgrade)
}
