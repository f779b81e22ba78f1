import { createMcpHandler } from "@modelcontextprotocol/server"
import { createMcpServer } from "../../calls/create-mcp-server.ts"
import type { ServedClient } from "../clients/served-clients.ts"

/** Modern clients: each request stands alone, and one may listen for changes. */
export interface ModernRequests {
  handle(request: Request, body: unknown, served: ServedClient): Promise<Response>
  /** Ends the open requests of one client. */
  drop(key: string): Promise<void>
}

interface Handler {
  readonly fetch: ReturnType<typeof createMcpHandler>["fetch"]
  readonly close: () => Promise<void>
}

export function modernRequests(): ModernRequests {
  /** One for each client, which is notified of its own changes only. */
  const handlers = new Map<string, Handler>()

  function handlerOf({ key, client }: ServedClient): Handler {
    const known = handlers.get(key)
    if (known) return known
    const { keepAliveMs } = client.limits
    // As a stream, because only that shows a client that a long call is still under way.
    const options = { legacy: "reject", responseMode: "sse", keepAliveMs } as const
    const made = createMcpHandler(() => createMcpServer(client), options)
    const stop = client.watchTools(() => made.notify.toolsChanged())
    const close = async () => {
      stop()
      await made.close()
    }
    const handler = { fetch: made.fetch, close }
    handlers.set(key, handler)
    return handler
  }

  return {
    handle: (request, body, served) => handlerOf(served).fetch(request, { parsedBody: body }),
    async drop(key) {
      const handler = handlers.get(key)
      handlers.delete(key)
      await handler?.close()
    },
  }
}
