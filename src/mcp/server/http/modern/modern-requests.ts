import { createMcpHandler } from "@modelcontextprotocol/server"
import { createMcpServer } from "../../calls/create-mcp-server.ts"
import type { ServedClient } from "../clients/served-clients.ts"

type Handler = ReturnType<typeof createMcpHandler>

/** Answers requests of modern clients: each stands alone, and one may listen for changes. */
export function modernRequests() {
  /** One for each client, which is notified of its own changes only. */
  const handlers = new WeakMap<ServedClient, Handler>()

  function open(served: ServedClient): Handler {
    const { client } = served
    const { keepAliveMs } = client.limits
    // As a stream, because only that shows a client that a long call is still running.
    const options = { legacy: "reject", responseMode: "sse", keepAliveMs } as const
    const handler = createMcpHandler(() => createMcpServer(client), options)
    handlers.set(served, handler)
    const stop = client.session.watchTools(() => handler.notify.toolsChanged())
    served.onClose(async () => {
      stop()
      await handler.close()
    })
    return handler
  }

  return (request: Request, body: unknown, served: ServedClient): Promise<Response> =>
    (handlers.get(served) ?? open(served)).fetch(request, { parsedBody: body })
}
