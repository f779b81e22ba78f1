import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"

/** An MCP server behind a login, and the authorization server that gives out its tokens. */
export interface GuardedServer {
  /** Of the MCP server. */
  readonly url: string
  /** Everything secret that was given out or sent. */
  readonly secrets: ReadonlySet<string>
  /** What each request had of headers that not everybody may see. */
  readonly seen: readonly Seen[]
  /** How often each kind of grant was asked for. */
  readonly grants: Readonly<Record<string, number>>
  /** Access tokens are refused from now on; with "all", so are those that renew them. */
  expire(what: "access" | "all"): void
  /** What the authorization server does when a browser comes, and what the metadata says. */
  readonly behaviour: Behaviour
}

interface Behaviour {
  consents: boolean
  /** What its metadata names in the place of itself. */
  authorizationServer: string | null
  /** Which scope calls need. */
  scope: string | null
}

interface Seen {
  readonly path: string
  readonly authorization: string | undefined
  readonly team: string | undefined
}

export const machine = { id: "a-machine", secret: "the-secret-of-a-machine" }

export async function guardedServer(): Promise<GuardedServer> {
  const parts = new Parts()
  const server = createServer((request, response) => {
    parts.handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  parts.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(parts, { url: `${parts.origin}/mcp` })
}

interface Grant {
  readonly challenge: string
  readonly redirect: string
  readonly scope: string
}

class Parts {
  origin = ""
  readonly secrets = new Set<string>()
  readonly seen: Seen[] = []
  readonly grants: Record<string, number> = {}
  readonly behaviour: Behaviour = { consents: true, authorizationServer: null, scope: null }
  readonly #access = new Map<string, string>()
  readonly #refresh = new Map<string, string>()
  readonly #codes = new Map<string, Grant>()

  expire(what: "access" | "all"): void {
    this.#access.clear()
    if (what === "all") this.#refresh.clear()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.origin)
    const { authorization, "x-team": team } = request.headers
    this.seen.push({ path: url.pathname, authorization, team: team?.toString() })
    const body = await text(request)
    const answer = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { "Content-Type": "application/json", ...headers })
        .end(value === null ? "" : JSON.stringify(value))
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return void answer(200, this.#resource())
      case "/.well-known/oauth-authorization-server":
        return void answer(200, this.#metadata())
      case "/register": {
        const client = { ...JSON.parse(body), client_id: randomUUID() }
        return void answer(201, client)
      }
      case "/authorize":
        return void answer(302, null, { Location: this.#consent(url.searchParams) })
      case "/token":
        return void answer(...this.#token(new URLSearchParams(body), request))
      case "/mcp":
      case "/other":
        return void answer(...this.#serve(body, request))
      default:
        return void answer(404, {})
    }
  }

  #resource(): object {
    const servers = [this.behaviour.authorizationServer ?? this.origin]
    return { resource: `${this.origin}/mcp`, authorization_servers: servers }
  }

  #metadata(): object {
    const at = (path: string) => `${this.origin}${path}`
    return {
      issuer: this.origin,
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      registration_endpoint: at("/register"),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    }
  }

  /** Where the browser is sent on to. */
  #consent(params: URLSearchParams): string {
    const redirect = params.get("redirect_uri") ?? ""
    const back = new URL(redirect)
    back.searchParams.set("state", params.get("state") ?? "")
    if (!this.behaviour.consents) {
      back.searchParams.set("error", "access_denied")
      return back.href
    }
    const code = this.#secret("code")
    const challenge = params.get("code_challenge") ?? ""
    this.#codes.set(code, { challenge, redirect, scope: params.get("scope") ?? "" })
    back.searchParams.set("code", code)
    return back.href
  }

  #token(form: URLSearchParams, { headers }: IncomingMessage): [number, object] {
    const grant = form.get("grant_type") ?? ""
    this.grants[grant] = (this.grants[grant] ?? 0) + 1
    // As bad servers do, it repeats what it was sent.
    const refused = { error: "invalid_grant", error_description: `No: ${form}` }
    switch (grant) {
      case "authorization_code": {
        const given = this.#codes.get(form.get("code") ?? "")
        this.#codes.delete(form.get("code") ?? "")
        const verifier = form.get("code_verifier") ?? ""
        this.secrets.add(verifier)
        const hash = createHash("sha256").update(verifier).digest("base64url")
        const fits = given?.challenge === hash && given.redirect === form.get("redirect_uri")
        return fits ? [200, this.#issue(given.scope)] : [400, refused]
      }
      case "refresh_token": {
        const token = form.get("refresh_token") ?? ""
        const scope = this.#refresh.get(token)
        // Each one is good for one time.
        this.#refresh.delete(token)
        return scope === undefined ? [400, refused] : [200, this.#issue(scope)]
      }
      case "client_credentials": {
        const basic = Buffer.from(`${machine.id}:${machine.secret}`).toString("base64")
        if (headers.authorization === `Basic ${basic}`) return [200, this.#issue("")]
        return [401, { error: "invalid_client", error_description: `${headers.authorization}` }]
      }
      default:
        return [400, { error: "unsupported_grant_type" }]
    }
  }

  #issue(scope: string): object {
    const [access_token, refresh_token] = [this.#secret("access"), this.#secret("refresh")]
    this.#access.set(access_token, scope)
    this.#refresh.set(refresh_token, scope)
    return { access_token, refresh_token, token_type: "Bearer", expires_in: 3600, scope }
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomUUID()}`
    this.secrets.add(secret)
    return secret
  }

  #serve(
    body: string,
    { headers: { authorization } }: IncomingMessage,
  ): [number, object | null, Record<string, string>?] {
    const granted = this.#access.get(authorization?.replace("Bearer ", "") ?? "")
    const metadata = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`
    if (granted === undefined) return [401, {}, { "WWW-Authenticate": `Bearer ${metadata}` }]
    const { id, method, params } = JSON.parse(body || "{}")
    const { scope } = this.behaviour
    if (method === "tools/call" && scope !== null && !granted.split(" ").includes(scope)) {
      const wants = `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`
      return [403, {}, { "WWW-Authenticate": wants }]
    }
    if (id === undefined) return [method === undefined ? 405 : 202, null]
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1.0.0" },
      },
      "tools/list": { tools: [{ name: "greet", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "Hello." }] },
    }
    const result = results[method]
    const error = { code: -32_601, message: "There is no such method." }
    return [200, { jsonrpc: "2.0", id, ...(result ? { result } : { error }) }]
  }
}

/** A browser whose user does whatever the page proposes; resolves with what the last page says. */
export async function browse(address: URL): Promise<string> {
  const answer = await fetch(address, { redirect: "manual" })
  const back = answer.headers.get("location") ?? ""
  return (await fetch(back)).text()
}
