import { createHash } from "node:crypto"
import { CLIENT_INFO_META_KEY, isLegacyRequest } from "@modelcontextprotocol/server"
import { isObject } from "../../../contract/index.ts"
import type { Toolkeep } from "../../../session/index.ts"
import { serverLimits } from "../../limits.ts"
import { mcpLimits } from "../calls/mcp-client.ts"
import type { AccessTokens } from "./access/access-tokens.ts"
import { accessCheck } from "./access/check-access.ts"
import { fairPlaces } from "./access/fair-places.ts"
import { refuse } from "./access/refuse.ts"
import { answerClient, type Exchange, wantsAnswer } from "./clients/answer-client.ts"
import { type ServedClientsOptions, servedClients } from "./clients/served-clients.ts"
import { legacySessions, type Requester, tooManyClients } from "./legacy/legacy-sessions.ts"
import { modernRequests } from "./modern/modern-requests.ts"
import { readBody } from "./read-body.ts"

export interface McpEndpoint {
  readonly handle: (exchange: Exchange) => Promise<Response>
  /** Waits a while for running calls, and closes every client. */
  readonly close: () => Promise<void>
}

/** `/mcp`: both generations of the protocol at one address. */
export function mcpEndpoint(
  toolkeep: Toolkeep,
  tokens: AccessTokens,
  options: ServedClientsOptions,
): McpEndpoint {
  const check = accessCheck(tokens)
  const answerLegacy = legacySessions()
  const answerModern = modernRequests()
  const clients = servedClients(toolkeep, tokens.names, options)
  const bodies = bodyPlaces(options, tokens.names)
  let isStopping = false

  function requesterOf(token: string, named: string | null): Requester {
    return {
      token,
      open: (own, label) =>
        clients.open(`${token} ${named === null ? own : `named ${named}`}`, { token, label }),
      close: (served) => {
        if (named === null) clients.close(served.key).catch(() => {})
      },
    }
  }

  /** Modern clients have no connection: the token and the address name them, or else their own name does. */
  async function handleModern(
    exchange: Exchange,
    body: unknown,
    requester: Requester,
  ): Promise<Response> {
    if (!acceptsStream(exchange.request)) return refuse(406, "Answers are text/event-stream.")
    const name = clientName(body)
    const served = await requester.open(`client ${digestOf(name)}`, name.slice(0, labelCharacters))
    if (!served) return tooManyClients()
    return answerClient(served, { exchange, body }, () =>
      answerModern(exchange.request, body, served),
    )
  }

  async function handle(exchange: Exchange): Promise<Response> {
    const { request } = exchange
    const access = check(request)
    if (access.kind === "refused") return access.response
    if (!exchange.claim(access.token)) return tooManyConnections()
    const named = new URL(request.url).searchParams.get("session")
    if (named !== null && !isSessionName(named)) return badSession()
    const hasRoom = bodies(exchange, access.token)
    const body = request.method === "POST" ? await readBody(request, hasRoom) : null
    if (body?.kind === "refused") return body.response
    // Answers and cancellations are still accepted.
    if (isStopping && (request.method === "GET" || wantsAnswer(body?.value))) return stopping()
    const requester = requesterOf(access.token, named)
    const isLegacy = await isLegacyRequest(request, body?.value)
    return isLegacy
      ? answerLegacy(exchange, body?.value, requester)
      : handleModern(exchange, body?.value, requester)
  }

  return {
    handle,
    close() {
      isStopping = true
      return clients.closeAll()
    },
  }
}

/** Takes room for the bytes of a request until it is answered: what was sent is held that long. */
function bodyPlaces({ limits: changed }: ServedClientsOptions, names: readonly string[]) {
  const { requestBytes, messageBytes } = mcpLimits(changed)
  const places = fairPlaces(Math.max(requestBytes, messageBytes * names.length), names)
  return (exchange: Exchange, token: string) => {
    let held = 0
    let isOver = false
    exchange.onEnd(() => {
      isOver = true
      places.free(token, held)
    })
    return (bytes: number) => {
      if (isOver || !places.take(token, bytes)) return false
      held += bytes
      return true
    }
  }
}

function stopping(): Response {
  return refuse(503, "The server is stopping.", { "Retry-After": "10", Connection: "close" })
}

/** A request without an Accept header accepts anything. */
function acceptsStream({ headers }: Request): boolean {
  const accepted = headers.get("accept") || "*/*"
  return /text\/event-stream|text\/\*|\*\/\*/i.test(accepted)
}

/** A longer name is refused, not cut: two that begin alike are two. */
function isSessionName(name: string): boolean {
  return name.length > 0 && name.length <= serverLimits.sessionCharacters
}

function badSession(): Response {
  const most = serverLimits.sessionCharacters
  return refuse(
    400,
    `The address has ?session= with a name of 1 to ${most} characters, or without it.`,
  )
}

function tooManyConnections(): Response {
  const message = "With this token the server has as many connections as it takes. Close some."
  return refuse(503, message, { "Retry-After": "1", Connection: "close" })
}

const labelCharacters = 100

function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("hex")
}

function clientName(body: unknown): string {
  const params = isObject(body) && isObject(body.params) ? body.params : {}
  const meta = isObject(params._meta) ? params._meta : {}
  const client = meta[CLIENT_INFO_META_KEY]
  return isObject(client) && typeof client.name === "string" ? client.name : "unknown"
}
