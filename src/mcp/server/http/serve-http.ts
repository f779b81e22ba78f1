import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { limits } from "../../../contract/index.ts"
import { type EndpointOptions, mcpEndpoint } from "./mcp-endpoint.ts"
import { refuse } from "./refuse.ts"

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
  const app = new Hono()
  app.all("/mcp", (context) => endpoint.handle(context.req.raw))
  app.notFound(() => refuse(404, "There is nothing here; MCP is at /mcp."))
  app.onError(() => refuse(500, "The server made a mistake; the request was not answered."))
  const server = createAdaptorServer({ fetch: app.fetch, hostname: address })
  const port = await listen(server, serving.port)
  return {
    url: `http://${address}:${port}/mcp`,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await endpoint.close()
      if ("closeAllConnections" in server) server.closeAllConnections()
      await closed
    },
  }
}

type Listening = ReturnType<typeof createAdaptorServer>

async function listen(server: Listening, wanted: number | undefined): Promise<number> {
  try {
    return await listenOn(server, wanted ?? limits.mcp.port)
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE"
    if (!isTaken || wanted !== undefined) throw error
    return listenOn(server, 0)
  }
}

function listenOn(server: Listening, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, address, () => {
      server.off("error", reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}
