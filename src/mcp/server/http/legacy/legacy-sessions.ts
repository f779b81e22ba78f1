import { randomUUID } from "node:crypto"
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { limits } from "../../../../contract/index.ts"
import { announceTools } from "../../calls/announce-tools.ts"
import { createMcpServer } from "../../calls/create-mcp-server.ts"
import { refuse } from "../access/refuse.ts"
import { answerClient } from "../clients/answer-client.ts"
import type { Exchange } from "../clients/exchange.ts"
import type { ServedClient } from "../clients/served-clients.ts"
import { type OpenRequests, openRequests } from "./open-requests.ts"
import { replayStore } from "./replay-store.ts"

/** Clients of the older generation: they connect once, and each later request names its session. */
export interface ConnectedSessions {
  handle(exchange: Exchange, body: unknown, who: Visitor): Promise<Response>
  /** Ends the connections of one client. */
  drop(key: string): void
}

export interface Visitor {
  readonly token: string
  /** The client to use: the one that the address names, or one of the session's own. */
  readonly open: (session: string, label: string) => Promise<ServedClient | null>
  /** Called when the client says goodbye. */
  readonly close: (served: ServedClient) => void
}

interface Connected {
  readonly requests: OpenRequests
  readonly server: Server
  readonly served: ServedClient
}

export function connectedSessions(): ConnectedSessions {
  const sessions = new Map<string, Connected>()

  async function connect(exchange: Exchange, body: unknown, who: Visitor): Promise<Response> {
    if (!isInitializeRequest(body)) {
      return refuse(400, "The first request is initialize; later ones have its Mcp-Session-Id.")
    }
    const id = randomUUID()
    const served = await who.open(`session ${id}`, body.params.clientInfo.name)
    if (!served) return tooManyClients()
    const { keepAliveMs, replayBytes } = served.client.limits
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      keepAliveMs,
      ...(served.client.settings.keepCalls && { eventStore: replayStore(replayBytes) }),
      retryInterval: limits.mcp.retryMs,
      onsessionclosed: () => {
        sessions.delete(id)
        who.close(served)
      },
    })
    const server = createMcpServer(served.client)
    await server.connect(transport)
    announceTools(served.client, server)
    const requests = openRequests(transport)
    sessions.set(id, { requests, server, served })
    return answerClient(served, { exchange, body }, () => requests.handle(exchange.request, body))
  }

  return {
    async handle(exchange, body, who) {
      const { request } = exchange
      const id = request.headers.get("mcp-session-id")
      if (id === null) return connect(exchange, body, who)
      const connected = sessions.get(id)
      // Whose session it is, is nothing that others should learn.
      if (connected?.served.token !== who.token) {
        return refuse(404, "There is no such session. Connect again with initialize.")
      }
      const { served, requests } = connected
      return answerClient(served, { exchange, body }, () => requests.handle(request, body))
    },
    drop(key) {
      for (const [id, { served, server }] of sessions) {
        if (served.key !== key) continue
        sessions.delete(id)
        server.close().catch(() => {})
      }
    },
  }
}

export function tooManyClients(): Response {
  const message =
    "With this token the server has as many clients as it takes. Close one that is not needed, or try again later."
  return refuse(503, message, { "Retry-After": "60" })
}
