import { createHash } from "node:crypto"
import { CLIENT_INFO_META_KEY, createMcpHandler } from "@modelcontextprotocol/server"
import { isObject } from "../../../../contract/index.ts"
import { createMcpServer } from "../../calls/create-mcp-server.ts"
import { refuse } from "../access/refuse.ts"
import {
  answerClient,
  type Exchange,
  type Requester,
  tooManyClients,
} from "../clients/answer-client.ts"
import type { ServedClient } from "../clients/served-clients.ts"

type Handler = ReturnType<typeof createMcpHandler>

/**
 * Answers requests of modern clients: each stands alone, and one may listen for changes. Without a connection, the
 * token and the address name a client, or else its own name does.
 */
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

  return async (exchange: Exchange, body: unknown, requester: Requester): Promise<Response> => {
    const { request } = exchange
    if (!acceptsStream(request)) return refuse(406, "Answers are text/event-stream.")
    const name = clientName(body)
    const digest = createHash("sha256").update(name).digest("hex")
    const served = await requester.open(`client ${digest}`, name.slice(0, labelCharacters))
    if (!served) return tooManyClients()
    const handler = handlers.get(served) ?? open(served)
    return answerClient(served, { exchange, body }, () =>
      handler.fetch(request, { parsedBody: body }),
    )
  }
}

/** A request without an Accept header accepts anything. */
function acceptsStream({ headers }: Request): boolean {
  const accepted = headers.get("accept") || "*/*"
  return /text\/event-stream|text\/\*|\*\/\*/i.test(accepted)
}

const labelCharacters = 100

function clientName(body: unknown): string {
  const params = isObject(body) && isObject(body.params) ? body.params : {}
  const meta = isObject(params._meta) ? params._meta : {}
  const client = meta[CLIENT_INFO_META_KEY]
  return isObject(client) && typeof client.name === "string" ? client.name : "unknown"
}
