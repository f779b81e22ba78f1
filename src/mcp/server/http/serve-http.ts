import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { createAdaptorServer, type HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import { listenAt, listenOnLoopback, ownConnections } from "../../../node/index.ts"
import { type Toolkeep, toolkeepHome } from "../../../session/index.ts"
import { type McpLimits, mcpLimits } from "../calls/mcp-client.ts"
import {
  createAccessTokens,
  hostCheck,
  isEveryAddress,
  readTokenFile,
} from "./access/check-access.ts"
import { type ConnectionPlaces, connectionPlaces } from "./access/connection-places.ts"
import { refuse } from "./access/refuse.ts"
import type { Exchange } from "./clients/answer-client.ts"
import type { ServedClientsOptions } from "./clients/served-clients.ts"
import { mcpEndpoint } from "./mcp-endpoint.ts"
import { requireProgress, requireReading, takeRest } from "./require-progress.ts"

export interface HttpOptions extends ServedClientsOptions {
  /**
   * The tokens that requests may carry, of at least 16 characters each. Clients of one token can't reach what belongs
   * to another's, and each token but the first has a memory of its own. Those of `tokenFile` when absent.
   */
  readonly tokens?: readonly string[] | undefined
  /** A file with one token a line, created with one if missing; `token` in Toolkeep's home when absent. */
  readonly tokenFile?: string | undefined
  /** 0 for any free port. The default port when absent, or a free one if that is taken. */
  readonly port?: number | undefined
  /**
   * The address of this machine to listen at, such as "0.0.0.0"; 127.0.0.1 when absent. At any other than a loopback
   * address, others on the network can connect, and only the tokens protect what is served.
   */
  readonly hostname?: string | undefined
  /** Another address that leads to this server, such as a proxy's or a tunnel's; requests may name its host too. */
  readonly publicUrl?: string | undefined
}

export interface HttpServer {
  readonly url: string
  readonly port: number
  /** The first token. */
  readonly token: string
  /** Waits a while for running calls, fails the rest with a reason, and closes everything. */
  close(): Promise<void>
}

export { hostCheck }

export type HttpApp = Hono<{ Bindings: HttpBindings }>

/** Takes over the connection of a request for a WebSocket. */
export type SocketHandler = (request: IncomingMessage, connection: Duplex, head: Buffer) => void

export interface HttpExtension {
  /** Adds routes beside /mcp. Connections that they limit themselves are exempt from the server's own limit. */
  readonly mount: (
    app: HttpApp,
    tokens: readonly string[],
    exempt: ConnectionPlaces["exempt"],
  ) => void
  /** Answers what is for another server behind this one, before anything looks at it; false for the rest. */
  readonly handOver: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whether the body is a file, which may take longer to come than other requests. */
  readonly isUpload: (request: IncomingMessage) => boolean
  /** Who takes the request for a WebSocket; undefined for one that is answered like any other. */
  readonly socketHandler: (request: IncomingMessage) => SocketHandler | undefined
  /** Called before calls are waited for; resolves when its own calls have ended and were answered. */
  readonly stop: () => Promise<void>
}

export async function serveHttp(
  toolkeep: Toolkeep,
  options: HttpOptions,
  extension?: HttpExtension,
): Promise<HttpServer> {
  const { tokenFile = join(toolkeepHome(), "token") } = options
  const given = options.tokens ?? readTokenFile(tokenFile)
  const tokens = createAccessTokens(given)
  const endpoint = mcpEndpoint(toolkeep, tokens, options)
  const limits = mcpLimits(options.limits)
  const places = connectionPlaces(limits, tokens.names)
  const app: HttpApp = new Hono()
  app.all("/mcp", ({ req, env }) => endpoint.handle(exchangeOf(req.raw, env, places)))
  extension?.mount(app, given, places.exempt)
  app.notFound(() => refuse(404, "Not found: the MCP endpoint is /mcp."))
  app.onError(() => refuse(500, "Internal error: the request was not answered."))
  const server = boundedServer(app.fetch, limits, extension)
  server.on("connection", places.admit)
  const { port: wanted = limits.port } = options
  const { hostname } = options
  const port =
    hostname === undefined
      ? await listenOnLoopback(server, wanted, options.port !== undefined)
      : await listenAt(server, hostname, wanted)
  return {
    url: `http://${reachableName(hostname)}:${port}/mcp`,
    port,
    token: given[0] ?? "",
    async close() {
      const stopped = extension?.stop()
      const closed = new Promise((resolve) => server.close(resolve))
      await Promise.all([endpoint.close(), stopped])
      server.closeAllConnections()
      await closed
    },
  }
}

/** What a client on this machine writes for the address that a server listens at. */
function reachableName(hostname: string | undefined): string {
  if (hostname === undefined || isEveryAddress(hostname)) return "127.0.0.1"
  return hostname.includes(":") ? `[${hostname}]` : hostname
}

/** A client that sends slowly, sends too much, or does not read its answers loses its connection. */
function boundedServer(
  fetch: Parameters<typeof createAdaptorServer>[0]["fetch"],
  limits: McpLimits,
  extension: HttpExtension | undefined,
): Server {
  const handlerOf = (request: IncomingMessage) =>
    request.headers.upgrade?.toLowerCase() === "websocket"
      ? extension?.socketHandler(request)
      : undefined
  const create = (options: ServerOptions, listener: RequestListener) =>
    createServer(options, (request, response) => {
      const isHandedOver = extension?.handOver(request, response) ?? false
      const isStreamed = isHandedOver || (extension?.isUpload(request) ?? false)
      requireProgress(request, response, { limits, isStreamed })
      if (isHandedOver) return
      requireReading(response, limits.unreadMs)
      takeRest(request, response)
      listener(request, response)
    })
  const serverOptions = {
    // Some clients ask for another protocol with every request, and must be answered all the same.
    shouldUpgradeCallback: (request: IncomingMessage) => handlerOf(request) !== undefined,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    // Node knows no request that may take longer than others.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.headerMs / 3,
    keepAliveTimeout: limits.idleConnectionMs,
    keepAliveTimeoutBuffer: limits.idleConnectionSpareMs,
  }
  const options = {
    fetch,
    hostname: "127.0.0.1",
    createServer: create as typeof createServer,
    serverOptions,
  }
  const server = createAdaptorServer(options) as Server
  ownConnections(server, "a client's connection")
  server.on("upgrade", (request, connection, head) => {
    const take = handlerOf(request)
    // A Node that does not ask before it upgrades.
    if (!take) connection.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n")
    else take(request, connection, head)
  })
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
