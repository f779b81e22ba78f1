import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer, type HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import { ownConnections } from "../../../node/index.ts"
import { type McpLimits, mcpLimits } from "../calls/mcp-limits.ts"
import { type ConnectionPlaces, connectionPlaces } from "./access/connection-places.ts"
import { refuse } from "./access/refuse.ts"
import type { Exchange } from "./clients/exchange.ts"
import { type EndpointOptions, mcpEndpoint } from "./mcp-endpoint.ts"

export interface HttpServing extends EndpointOptions {
  /** The usual one when absent, or another when that is taken. */
  readonly port?: number | undefined
}

export interface HttpServer {
  readonly url: string
  readonly port: number
  /** Lets calls under way end, for a while, and then everything. */
  close(): Promise<void>
}

/** Only this machine can reach it. */
const address = "127.0.0.1"

/** Serves any number of clients over HTTP. */
export async function serveHttp(serving: HttpServing): Promise<HttpServer> {
  const endpoint = mcpEndpoint(serving)
  const limits = mcpLimits(serving.settings.limits)
  const places = connectionPlaces(limits, serving.tokens.names)
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.all("/mcp", ({ req, env }) => endpoint.handle(exchangeOf(req.raw, env, places)))
  app.notFound(() => refuse(404, "There is nothing here; MCP is at /mcp."))
  app.onError(() => refuse(500, "The server made a mistake; the request was not answered."))
  const server = boundedServer(app.fetch, limits)
  server.on("connection", places.admit)
  const port = await listen(server, serving.port, limits.port)
  return {
    url: `http://${address}:${port}/mcp`,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await endpoint.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Who sends slowly, sends too much, or does not read what it is sent, loses its connection. */
function boundedServer(
  fetch: Parameters<typeof createAdaptorServer>[0]["fetch"],
  limits: McpLimits,
) {
  const serverOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.headerMs / 3,
  }
  const options = { fetch, hostname: address, createServer, serverOptions }
  const server = createAdaptorServer(options) as Server
  ownConnections(server, "a client's connection")
  // Only of connections with an answer under way, which hear something more often.
  server.timeout = limits.unreadMs
  return server
}

function exchangeOf(
  request: Request,
  { incoming, outgoing }: HttpBindings,
  places: ConnectionPlaces,
): Exchange {
  const { socket } = incoming
  return {
    request,
    claim: (token) => places.claim(socket, token),
    onEnd: (callback) => void (outgoing.closed ? callback() : outgoing.once("close", callback)),
    cut: () => void outgoing.destroy(),
  }
}

async function listen(server: Server, wanted: number | undefined, usual: number): Promise<number> {
  try {
    return await listenOn(server, wanted ?? usual)
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE"
    if (!isTaken || wanted !== undefined) throw error
    return listenOn(server, 0)
  }
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, address, () => {
      // Later ones are about connections that could not be taken.
      server.off("error", reject).on("error", () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}
