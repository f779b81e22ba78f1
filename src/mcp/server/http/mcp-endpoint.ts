import { isLegacyRequest } from "@modelcontextprotocol/server"
import { ToolFailure } from "../../../contract/index.ts"
import type { Toolkeep } from "../../../session/index.ts"
import { serverLimits } from "../../limits.ts"
import { mcpLimits } from "../calls/mcp-client.ts"
import { type AccessTokens, accessCheck } from "./access/check-access.ts"
import { fairPlaces } from "./access/quotas.ts"
import { refuse } from "./access/refuse.ts"
import { type Exchange, type Requester, wantsAnswer } from "./clients/answer-client.ts"
import { type ServedClientsOptions, servedClients } from "./clients/served-clients.ts"
import { legacySessions } from "./legacy/legacy-sessions.ts"
import { modernRequests } from "./modern/modern-requests.ts"
import { readBody } from "./read-body.ts"

/** `/mcp`: both generations of the protocol at one address. */
export function mcpEndpoint(
  toolkeep: Toolkeep,
  tokens: AccessTokens,
  options: ServedClientsOptions & { readonly hostname?: string | undefined },
) {
  const check = accessCheck(tokens, options)
  const answerLegacy = legacySessions()
  const answerModern = modernRequests()
  const clients = servedClients(toolkeep, tokens.names, options)
  const bodies = bodyPlaces(options, tokens.names)
  let isStopping = false

  function requesterOf(token: string, named: string | null): Requester {
    const isNamed = named !== null
    const keyOf = (own: string) => `${token} ${isNamed ? `named ${named}` : own}`
    return {
      token,
      open: (own, label) => clients.open(keyOf(own), { token, label, isNamed }),
      recorded: (own) => clients.recorded(keyOf(own)),
      close: (served) => {
        if (!isNamed) clients.close(served.key).catch(() => {})
      },
    }
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
    const answer = isLegacy ? answerLegacy : answerModern
    return answer(exchange, body?.value, requester).catch(refuseUnavailable)
  }

  return {
    handle,
    /** Waits a while for running calls, and closes every client. */
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

/** Such as a session that another process has open. */
function refuseUnavailable(error: unknown): Response {
  if (!(error instanceof ToolFailure)) throw error
  return refuse(503, error.message, { "Retry-After": "10" })
}

function stopping(): Response {
  return refuse(503, "The server is stopping.", { "Retry-After": "10", Connection: "close" })
}

/** A longer name is refused, not cut: two that begin alike are two. */
function isSessionName(name: string): boolean {
  return name.length > 0 && name.length <= serverLimits.sessionCharacters
}

function badSession(): Response {
  const most = serverLimits.sessionCharacters
  return refuse(400, `?session= must have a name of 1 to ${most} characters.`)
}

function tooManyConnections(): Response {
  const message = "This token has reached its limit of connections. Close some."
  return refuse(503, message, { "Retry-After": "1", Connection: "close" })
}
