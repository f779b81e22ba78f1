import { randomUUID } from "node:crypto"
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { serverLimits } from "../../../limits.ts"
import { announceTools, createMcpServer } from "../../calls/create-mcp-server.ts"
import { refuse } from "../access/refuse.ts"
import {
  answerClient,
  type Exchange,
  type Requester,
  tooManyClients,
} from "../clients/answer-client.ts"
import type { ServedClient } from "../clients/served-clients.ts"
import { openRequests } from "./open-requests.ts"
import { replayStore } from "./replay-store.ts"

/** Answers requests of legacy clients: they connect once, and each later request names its session. */
export function legacySessions() {
  type Handle = ReturnType<typeof openRequests>
  const sessions = new Map<string, { readonly handle: Handle; readonly served: ServedClient }>()

  async function connect(
    exchange: Exchange,
    body: unknown,
    requester: Requester,
  ): Promise<Response> {
    if (!isInitializeRequest(body)) {
      return refuse(400, "The first request is initialize; later ones have its Mcp-Session-Id.")
    }
    const id = randomUUID()
    const served = await requester.open(`session ${id}`, body.params.clientInfo.name)
    if (!served) return tooManyClients()
    const { keepAliveMs, replayBytes } = served.client.limits
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      keepAliveMs,
      ...(served.client.options.persistAnswers && { eventStore: replayStore(replayBytes) }),
      retryInterval: serverLimits.retryMs,
      onsessionclosed: () => {
        forget()
        requester.close(served)
      },
    })
    const server = createMcpServer(served.client)
    await server.connect(transport)
    announceTools(served.client, server)
    const handle = openRequests(transport)
    sessions.set(id, { handle, served })
    const stopFollowing = served.onClose(async () => {
      sessions.delete(id)
      server.close().catch(() => {})
    })
    const forget = () => {
      sessions.delete(id)
      stopFollowing()
    }
    return answerClient(served, { exchange, body }, () => handle(exchange.request, body))
  }

  return async (exchange: Exchange, body: unknown, requester: Requester): Promise<Response> => {
    const { request } = exchange
    const id = request.headers.get("mcp-session-id")
    if (id === null) return connect(exchange, body, requester)
    const session = sessions.get(id)
    // Another token's session is the same as none: nobody learns that it exists.
    if (session?.served.token !== requester.token) {
      return refuse(404, "There is no such session. Connect again with initialize.")
    }
    const { served, handle } = session
    return answerClient(served, { exchange, body }, () => handle(request, body))
  }
}
