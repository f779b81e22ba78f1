import { createServer, type RequestListener, type Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { errorCode } from "../../kit/index.ts"
import { ownConnections } from "../../node/index.ts"
import { previewLimits } from "../limits.ts"

export type PreviewServer = Awaited<ReturnType<typeof servePreviews>>

interface PreviewHandlers {
  readonly handleRequest: RequestListener
  readonly handleUpgrade: (
    message: Parameters<RequestListener>[0],
    client: Duplex,
    head: Buffer,
  ) => void
}

/** A small server of its own for previews, which only this machine reaches. */
export async function servePreviews(handlers: PreviewHandlers) {
  const clients = new Set<Socket>()
  const { port, servers } = await listenOnLoopback(() => create(handlers, clients))
  return {
    port,
    async close(): Promise<void> {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const client of clients) client.destroy()
      await Promise.all(closed)
    },
  }
}

function create({ handleRequest, handleUpgrade }: PreviewHandlers, clients: Set<Socket>): Server {
  const server = createServer({
    requireHostHeader: true,
    maxHeaderSize: previewLimits.headerBytes,
    headersTimeout: previewLimits.headerMs,
    // An upload may take as long as it moves.
    requestTimeout: 0,
  })
  ownConnections(server, "a connection to a preview")
  server.maxConnections = previewLimits.clients
  server.timeout = previewLimits.idleMs
  server.on("connection", (client: Socket) => {
    clients.add(client)
    client.once("close", () => clients.delete(client))
  })
  return server.on("request", handleRequest).on("upgrade", handleUpgrade)
}

/** How often another port is tried where one is free for one of the two addresses only. */
const tries = 10

/**
 * Both of this machine's own addresses on one port, because browsers take either for `*.localhost`.
 * Where there is no IPv6, the first is enough.
 */
async function listenOnLoopback(create: () => Server) {
  for (let left = tries; ; left -= 1) {
    const first = create()
    const port = await listen(first, "127.0.0.1", 0)
    const second = create()
    try {
      await listen(second, "::1", port)
      return { port, servers: [first, second] }
    } catch (error) {
      if (errorCode(error) !== "EADDRINUSE") return { port, servers: [first] }
      first.close()
      if (left === 0) throw error
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen({ host, port, ipv6Only: host === "::1" }, () => {
      server.off("error", reject).on("error", () => {})
      const address = server.address()
      resolve(typeof address === "object" && address ? address.port : port)
    })
  })
}
