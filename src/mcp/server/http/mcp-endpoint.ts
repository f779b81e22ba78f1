import { createHash } from "node:crypto"
import { CLIENT_INFO_META_KEY, isLegacyRequest } from "@modelcontextprotocol/server"
import { isObject, limits } from "../../../contract/index.ts"
import type { AccessTokens } from "./access/access-tokens.ts"
import { accessCheck } from "./access/check-access.ts"
import { refuse } from "./access/refuse.ts"
import { answerClient, wantsAnswer } from "./clients/answer-client.ts"
import type { Exchange } from "./clients/exchange.ts"
import { type ClientsOptions, servedClients } from "./clients/served-clients.ts"
import { connectedSessions, tooManyClients, type Visitor } from "./legacy/legacy-sessions.ts"
import { singleRequests } from "./modern/modern-requests.ts"
import { readBody } from "./read-body.ts"

export interface McpEndpoint {
  readonly handle: (exchange: Exchange) => Promise<Response>
  /** Lets what is under way end, and closes every client. */
  readonly close: () => Promise<void>
}

export interface EndpointOptions extends Omit<ClientsOptions, "onClose" | "tokens"> {
  readonly tokens: AccessTokens
}

/** `/mcp`: both generations of the protocol at one address. */
export function mcpEndpoint(options: EndpointOptions): McpEndpoint {
  const check = accessCheck(options.tokens)
  const sessions = connectedSessions()
  const requests = singleRequests()
  const onClose = async (key: string) => {
    sessions.drop(key)
    await requests.drop(key)
  }
  const clients = servedClients({ ...options, onClose })
  let isStopping = false

  function visitor(token: string, named: string | null): Visitor {
    return {
      token,
      open: (own, label) =>
        clients.open(`${token} ${named === null ? own : `named ${named}`}`, { token, label }),
      close: (served) => {
        if (named === null) clients.close(served.key).catch(() => {})
      },
    }
  }

  /**
   * These clients connect to nothing. The token and the session that the address names say who they are, and
   * where it names none, what they call themselves.
   */
  async function handleModern(exchange: Exchange, body: unknown, who: Visitor): Promise<Response> {
    if (!acceptsStream(exchange.request)) return refuse(406, "Answers are text/event-stream.")
    const name = clientName(body)
    const served = await who.open(`client ${digestOf(name)}`, name.slice(0, labelCharacters))
    if (!served) return tooManyClients()
    return answerClient(served, { exchange, body }, () =>
      requests.handle(exchange.request, body, served),
    )
  }

  async function handle(exchange: Exchange): Promise<Response> {
    const { request } = exchange
    const access = check(request)
    if (access.kind === "refused") return access.response
    if (!exchange.claim(access.token)) return tooManyConnections()
    const named = new URL(request.url).searchParams.get("session")
    if (named !== null && !isSessionName(named)) return badSession()
    const body = request.method === "POST" ? await readBody(request) : null
    if (body?.kind === "refused") return body.response
    // What answers or cancels is still welcome.
    if (isStopping && (request.method === "GET" || wantsAnswer(body?.value))) return stopping()
    const who = visitor(access.token, named)
    const isOlder = await isLegacyRequest(request, body?.value)
    return isOlder
      ? sessions.handle(exchange, body?.value, who)
      : handleModern(exchange, body?.value, who)
  }

  return {
    handle,
    close() {
      isStopping = true
      return clients.closeAll()
    },
  }
}

function stopping(): Response {
  return refuse(503, "The server is stopping.", { "Retry-After": "10", Connection: "close" })
}

/** Who says nothing takes anything. */
function acceptsStream({ headers }: Request): boolean {
  const accepted = headers.get("accept") || "*/*"
  return /text\/event-stream|text\/\*|\*\/\*/i.test(accepted)
}

/** None is cut: two that begin alike are two. */
function isSessionName(name: string): boolean {
  return name.length > 0 && name.length <= limits.mcp.sessionCharacters
}

function badSession(): Response {
  const most = limits.mcp.sessionCharacters
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
