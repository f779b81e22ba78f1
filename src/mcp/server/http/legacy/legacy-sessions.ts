import { createHash, randomUUID } from "node:crypto"
import {
  type InitializeRequest,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { isObject } from "../../../../contract/index.ts"
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
import { answerStreams } from "./answer-streams.ts"
import { openRequests } from "./open-requests.ts"

interface LegacySession {
  readonly served: ServedClient
  readonly handle: ReturnType<typeof openRequests>
}

type InitializeParams = InitializeRequest["params"]

/** Answers requests of legacy clients: they connect once, and each later request names its session. */
export function legacySessions() {
  const sessions = new Map<string, LegacySession>()
  const restoring = new Map<string, Promise<LegacySession | null>>()

  async function open(
    id: string,
    served: ServedClient,
    requester: Requester,
  ): Promise<LegacySession> {
    const { client } = served
    const name = connectionName(id)
    const streams = answerStreams()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      keepAliveMs: client.limits.keepAliveMs,
      ...(client.requests && { eventStore: streams.events }),
      retryInterval: serverLimits.retryMs,
      onsessionclosed: async () => {
        forget()
        await recordLeft(served, name)
        requester.close(served)
      },
    })
    const server = createMcpServer(client, name)
    await server.connect(transport)
    announceTools(client, server)
    const session = { served, handle: openRequests({ transport, streams, client, name }) }
    sessions.set(id, session)
    const stopFollowing = served.onClose(async () => {
      sessions.delete(id)
      server.close().catch(() => {})
    })
    const forget = () => {
      sessions.delete(id)
      stopFollowing()
    }
    return session
  }

  async function connect(
    exchange: Exchange,
    body: unknown,
    requester: Requester,
  ): Promise<Response> {
    if (!isInitializeRequest(body)) {
      return refuse(400, "The first request is initialize; later ones have its Mcp-Session-Id.")
    }
    const id = randomUUID()
    const served = await requester.open(ownName(id), body.params.clientInfo.name)
    if (!served) return tooManyClients()
    await recordConnected(served, connectionName(id), body.params)
    const { handle } = await open(id, served, requester)
    return answerClient(served, { exchange, body }, () => handle(exchange.request, body))
  }

  /** The session of a client that connected to an earlier process; null when this token has none of this id. */
  async function restore(
    id: string,
    { url }: Request,
    requester: Requester,
  ): Promise<LegacySession | null> {
    const entries = await (await requester.recorded(ownName(id)))?.unclosed()
    const connected = entries?.find(({ key }) => key === keyOf(connectionName(id)))
    if (!isObject(connected?.body)) return null
    const params = connected.body.params as InitializeParams
    const served = await requester.open(ownName(id), params.clientInfo.name)
    if (!served) return null
    const session = await open(id, served, requester)
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-session-id": id,
    }
    const send = async (message: object) => {
      const request = new Request(url, { method: "POST", headers, body: "{}" })
      await (await session.handle(request, { jsonrpc: "2.0", ...message })).text()
    }
    await send({ id: randomUUID(), method: "initialize", params })
    await send({ method: "notifications/initialized" })
    return session
  }

  /** Once, however many requests come at the same time. */
  function restoreOnce(id: string, request: Request, requester: Requester) {
    const key = `${requester.token} ${id}`
    const begun = restoring.get(key)
    if (begun) return begun
    const restored = restore(id, request, requester).finally(() => restoring.delete(key))
    restoring.set(key, restored)
    return restored
  }

  return async (exchange: Exchange, body: unknown, requester: Requester): Promise<Response> => {
    const { request } = exchange
    const id = request.headers.get("mcp-session-id")
    if (id === null) return connect(exchange, body, requester)
    const session = sessions.get(id) ?? (await restoreOnce(id, request, requester))
    // Another token's session is the same as none: nobody learns that it exists.
    if (session?.served.token !== requester.token) {
      return refuse(404, "There is no such session. Connect again with initialize.")
    }
    const { served, handle } = session
    return answerClient(served, { exchange, body }, () => handle(request, body))
  }
}

/** The id itself is the client's secret, which is not written down. */
function connectionName(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32)
}

/** The name of a client whose address names none. */
function ownName(id: string): string {
  return `session ${connectionName(id)}`
}

function keyOf(connection: string): string {
  return `client:${connection}`
}

/** Where the session is recorded, so that the client need not connect again after a restart. */
async function recordConnected(
  { client }: ServedClient,
  connection: string,
  params: InitializeParams,
): Promise<void> {
  const record = await client.session.record?.()
  const body = { connection, params }
  await record?.append([{ kind: "client", at: Date.now(), body, opens: keyOf(connection) }])
}

async function recordLeft({ client }: ServedClient, connection: string): Promise<void> {
  const record = await client.session.record?.()
  const body = { connection }
  await record?.append([{ kind: "left", at: Date.now(), body, closes: keyOf(connection) }])
}
