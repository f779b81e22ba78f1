import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { type HttpServer, readServers } from "../../src/config/index.ts"
import { type LoginOptions, loginToServer } from "../../src/mcp/bridge/oauth/login-to-server.ts"
import { loginsIn } from "../../src/mcp/bridge/oauth/logins.ts"
import { oauthFetch } from "../../src/mcp/bridge/oauth/oauth-fetch.ts"
import { temporaryHome } from "../support/mcp/bridge-fixture.ts"

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

interface Attacker {
  readonly origin: string
  readonly seen: string[]
}

/** A server whose answers a test replaces by path; the rest of a login goes as it should. */
async function attacker(own: Record<string, Handler>, named?: string): Promise<Attacker> {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const path = (request.url ?? "").split("?")[0] ?? ""
    seen.push(`${path} ${body}`)
    const handler = own[path]
    if (handler) return handler(request, response, body)
    response.writeHead(...head(path)).end(JSON.stringify(usual(path, body)))
  })
  const head = (path: string): [number, Record<string, string>] => {
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    return path === "/mcp" ? [401, { "WWW-Authenticate": challenge }] : [200, {}]
  }
  const usual = (path: string, body: string): object => {
    if (path.includes("protected-resource")) {
      return { resource: `${origin}/mcp`, authorization_servers: [named ?? origin] }
    }
    if (path.includes("well-known")) return metadataOf(origin)
    if (path === "/register") return { ...JSON.parse(body), client_id: "me" }
    return { access_token: "access", refresh_token: "refresh", token_type: "Bearer" }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, seen }
}

function metadataOf(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  }
}

function specOf(origin: string): HttpServer {
  const [spec] = readServers({ mcpServers: { tracker: { url: `${origin}/mcp`, auth: "oauth" } } })
  if (spec?.kind !== "http") throw new Error("It is no server over HTTP.")
  return spec
}

/** The browser comes back with the state, and with whatever else a test wants. */
const comeBack =
  (more: Record<string, string> = {}) =>
  (address: URL) => {
    const back = new URL(address.searchParams.get("redirect_uri") ?? "")
    const state = address.searchParams.get("state") ?? ""
    back.search = String(new URLSearchParams({ code: "code", state, ...more }))
    void fetch(back)
      .then((page) => page.text())
      .catch(() => {})
  }

async function logIn(origin: string, options: Partial<LoginOptions> = {}) {
  const home = await temporaryHome()
  const failed: unknown = await loginToServer(specOf(origin), {
    home,
    environment: {},
    port: 0,
    signal: AbortSignal.timeout(60_000),
    onAddress: comeBack(),
    ...options,
  }).catch((error: unknown) => error)
  const login = await loginsIn(home).read(specOf(origin))
  return {
    said: failed === undefined ? null : String(Object(failed).message),
    tokens: login?.tokens,
  }
}

const answerWith =
  (value: unknown): Handler =>
  (_, response) =>
    response.writeHead(200).end(typeof value === "string" ? value : JSON.stringify(value))

const wellKnown = "/.well-known/oauth-authorization-server"

describe("a hostile authorization server", () => {
  it("Y15: gets a login in when it does all right, which shows that the others fail for their own reason", async () => {
    const { origin } = await attacker({})
    expect(await logIn(origin)).toMatchObject({ said: null, tokens: { access_token: "access" } })
  })

  it("Y15: is not taken for another one: neither its metadata nor the browser may name another issuer", async () => {
    const other = await attacker({})
    const mixed = await attacker({ [wellKnown]: answerWith({ ...metadataOf(other.origin) }) })
    expect((await logIn(mixed.origin)).said).toContain("Issuer mismatch")
    const honest = await attacker({})
    const { said, tokens } = await logIn(honest.origin, {
      onAddress: comeBack({ iss: other.origin }),
    })
    expect(said).toMatch(/^The login to tracker failed: .*iss/i)
    expect(tokens).toBeUndefined()
    expect(honest.seen.some((one) => one.startsWith("/token"))).toBe(false)
    expect(other.seen).toEqual([])
  })

  it("Y15: sends nobody to an address that is not a web page of https, or that hides where it leads", async () => {
    for (const authorization_endpoint of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "http://evil.example/authorize",
      "https://accounts.example:secret@evil.example/authorize",
      `https://evil.example/${"x".repeat(20_000)}`,
    ]) {
      const { origin } = await attacker({})
      let opened: URL | null = null
      const metadata = { ...metadataOf(origin), authorization_endpoint }
      const hostile = await attacker({
        [wellKnown]: (_, response) => response.end(JSON.stringify({ ...metadata, issuer: own() })),
      })
      const own = () => hostile.origin
      const { said } = await logIn(hostile.origin, {
        onAddress: (address) => {
          opened = address
        },
        signal: AbortSignal.timeout(10_000),
      })
      expect(opened, authorization_endpoint).toBeNull()
      expect(said).toMatch(/^The login to tracker failed: /)
    }
  })

  it("Y15: leads a chain of redirects neither inside nor on for ever, and no request with a secret is sent on", async () => {
    let visits = 0
    const inside = await attacker({
      "/": () => {
        visits += 1
      },
    })
    const private1 = `http://localhost:${new URL(inside.origin).port}/`
    const chain = await attacker({
      "/1": (_, response) => response.writeHead(302, { location: "/2" }).end(),
      "/2": (_, response) => response.writeHead(307, { location: private1 }).end(),
      "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
      "/token": (_, response) => response.writeHead(307, { location: `${inside.origin}/` }).end(),
    })
    const reach = oauthFetch([new URL(chain.origin)])
    await expect(reach(`${chain.origin}/1`)).rejects.toThrow("may not be reached")
    expect((await reach(`${chain.origin}/loop`)).status).toBe(302)
    expect(chain.seen.filter((one) => one.startsWith("/loop")).length).toBeLessThan(6)
    expect((await logIn(chain.origin)).said).toMatch(/^The login to tracker failed: /)
    expect(visits).toBe(0)
    // The host that a person named is no way around https.
    const named = oauthFetch([new URL("https://mcp.example.com/mcp")])
    await expect(named("http://mcp.example.com/token")).rejects.toThrow("it is not https")
  })

  it("Y15: gives out no token that can't be sent, is another type, or would be another header", async () => {
    const good = { access_token: "a", token_type: "Bearer" }
    for (const tokens of [
      { ...good, access_token: "a\r\nX-Injected: 1" },
      { ...good, access_token: "a\u0000b" },
      { ...good, access_token: "a b" },
      { ...good, access_token: "\u202eabc" },
      { ...good, access_token: "" },
      { ...good, access_token: ["a"] },
      { ...good, access_token: 7 },
      { ...good, access_token: "x".repeat(100_000) },
      { ...good, token_type: "mac" },
      { ...good, token_type: null },
      { ...good, refresh_token: { a: 1 } },
      [good],
      "not json at all: secret-in-it",
      { error: "invalid_grant", error_description: "\u001b]0;owned\u0007" },
    ]) {
      const { origin } = await attacker({ "/token": answerWith(tokens) })
      const { said, tokens: kept } = await logIn(origin)
      expect(said, JSON.stringify(tokens).slice(0, 80)).not.toBeNull()
      expect(said).not.toMatch(/Injected|secret-in-it|\u001b|\u202e/)
      expect(kept).toBeUndefined()
    }
    for (const expires_in of [1e308, -1, 0, "3600", 2 ** 53]) {
      const { origin } = await attacker({ "/token": answerWith({ ...good, expires_in }) })
      expect((await logIn(origin)).tokens?.access_token).toBe("a")
    }
  })

  it("Y15: can't answer without an end", async () => {
    const endless: Handler = (_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed) if (!response.write("x".repeat(65_536))) break
      }
      response.on("drain", more)
      more()
    }
    for (const path of [
      wellKnown,
      "/register",
      "/token",
      "/.well-known/oauth-protected-resource/mcp",
    ]) {
      const { origin } = await attacker({ [path]: endless })
      // Without metadata of its own, the server itself is asked.
      const { said } = await logIn(origin)
      if (!path.includes("protected-resource"))
        expect(said).toMatch(/could not be reached|login to tracker failed/)
    }
  })

  it("Y15: a login takes one answer: a state is used once, and a foreign page has none", async () => {
    const { origin, seen } = await attacker({})
    const statuses: number[] = []
    const onAddress = async (address: URL) => {
      const back = new URL(address.searchParams.get("redirect_uri") ?? "")
      const state = address.searchParams.get("state") ?? ""
      const ask = async (query: Record<string, string>, init: RequestInit = {}) => {
        const page = await fetch(`${back.href}?${new URLSearchParams(query)}`, init).catch(
          () => null,
        )
        statuses.push(page?.status ?? 0)
        await page?.text()
      }
      const foreign = { headers: { origin: "https://evil.example" } }
      await ask({ code: "stolen", state: "" }, foreign)
      await ask({ code: "stolen", state: `${state}x` }, foreign)
      await ask({ code: "stolen", state }, { method: "POST", body: "x" })
      void Promise.all([ask({ code: "first", state }), ask({ code: "second", state })])
    }
    expect((await logIn(origin, { onAddress })).said).toBeNull()
    expect(statuses.slice(0, 3)).toEqual([400, 400, 400])
    const exchanges = seen.filter((one) => one.startsWith("/token"))
    expect(exchanges).toHaveLength(1)
    expect(exchanges[0]).not.toContain("stolen")
  })
})
