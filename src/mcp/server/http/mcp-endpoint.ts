import { CLIENT_INFO_META_KEY, isLegacyRequest } from "@modelcontextprotocol/server"
import { isObject } from "../../../contract/index.ts"
import type { AccessTokens } from "./access-tokens.ts"
import { accessCheck } from "./check-access.ts"
import { connectedSessions, tooFast, type Visitor } from "./connected-sessions.ts"
import { readBody } from "./read-body.ts"
import { refuse } from "./refuse.ts"
import { type ClientsOptions, servedClients } from "./served-clients.ts"
import { singleRequests } from "./single-requests.ts"

export interface McpEndpoint {
  readonly handle: (request: Request) => Promise<Response>
  /** Lets what is under way end, and closes every client. */
  readonly close: () => Promise<void>
}

export interface EndpointOptions extends Omit<ClientsOptions, "onClose"> {
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

  function visitor(token: string, named: string | null): Visitor {
    return {
      token,
      open: (session, label) => clients.open(keyOf(token, named ?? session), { token, label }),
      close: (served) => {
        if (named === null) clients.close(served.key).catch(() => {})
      },
    }
  }

  /** These clients connect to nothing: the token, their name and the address say who they are. */
  function handleModern(request: Request, body: unknown, who: Visitor): Promise<Response> {
    const label = clientName(body)
    const served = who.open(`client ${label}`, label)
    if (!served) return Promise.resolve(refuse(503, "The server has as many clients as it takes."))
    if (!served.hasRoom()) return Promise.resolve(tooFast())
    served.lastUsedMs = performance.now()
    return requests.handle(request, body, served)
  }

  async function handle(request: Request): Promise<Response> {
    const access = check(request)
    if (access.kind === "refused") return access.response
    const body = request.method === "POST" ? await readBody(request) : null
    if (body?.kind === "refused") return body.response
    const named = new URL(request.url).searchParams.get("session")
    const who = visitor(access.token, named?.slice(0, 100) ?? null)
    const isOlder = await isLegacyRequest(request, body?.value)
    return isOlder
      ? sessions.handle(request, body?.value, who)
      : handleModern(request, body?.value, who)
  }

  return { handle, close: clients.closeAll }
}

function keyOf(token: string, name: string): string {
  return `${token} ${name}`
}

function clientName(body: unknown): string {
  const params = isObject(body) && isObject(body.params) ? body.params : {}
  const meta = isObject(params._meta) ? params._meta : {}
  const client = meta[CLIENT_INFO_META_KEY]
  return isObject(client) ? String(client.name).slice(0, 100) : "unknown"
}
