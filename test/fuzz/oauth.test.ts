import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it, onTestFinished } from "vitest"
import { readServers } from "../../src/config/index.ts"
import { ToolFailure } from "../../src/contract/index.ts"
import { loginToServer } from "../../src/mcp/bridge/oauth/login-to-server.ts"
import { listenForRedirect } from "../../src/mcp/bridge/oauth/redirect-listener.ts"
import { temporaryHome } from "../support/mcp/bridge-fixture.ts"
import { mutateBytes, mutateMessage } from "./mutate-message.ts"
import { createRandom, type Random } from "./random.ts"

/** What each address answers when it means well. */
function wellMeant(
  origin: string,
  { url = "" }: IncomingMessage,
  body: string,
): [number, unknown, string?] {
  const at = (path: string) => `${origin}${path}`
  if (url.includes("oauth-protected-resource")) {
    return [200, { resource: at("/mcp"), authorization_servers: [origin], scopes_supported: ["a"] }]
  }
  if (url.includes("well-known")) {
    const endpoints = {
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      registration_endpoint: at("/register"),
    }
    const supported = {
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
      authorization_response_iss_parameter_supported: false,
    }
    return [200, { issuer: origin, ...endpoints, ...supported }]
  }
  if (url.startsWith("/register")) {
    return [201, { ...JSON.parse(body), client_id: "me", client_secret: "secret" }]
  }
  if (url.startsWith("/token")) {
    const tokens = { access_token: "access", refresh_token: "refresh", token_type: "Bearer" }
    return [200, { ...tokens, expires_in: 3600, scope: "a" }]
  }
  const metadata = `resource_metadata="${at("/.well-known/oauth-protected-resource/mcp")}"`
  return [401, {}, `Bearer ${metadata}, scope="a b"`]
}

function oddly(
  origin: string,
  { request, sent }: { readonly request: IncomingMessage; readonly sent: string },
  random: Random,
): Buffer {
  const [status, value, challenge] = wellMeant(origin, request, sent)
  const isOdd = random.chance(0.25)
  const body = JSON.stringify(isOdd ? mutateMessage(value, random) : value) ?? ""
  const bytes = random.chance(0.05) ? mutateBytes(body, random) : Buffer.from(body)
  const rarely = <Value>(values: readonly Value[], usual: Value) =>
    random.chance(0.03) ? random.pick(values) : usual
  const code = rarely(
    ["099 Odd", "200 OK", "204 None", "302 Found", "400 No", "500 Error", "999 Odd"],
    `${status} Fine`,
  )
  const type = rarely(["text/html", "", "application/x-www-form-urlencoded"], "application/json")
  const length = rarely(["0", "abc", "99999999"], String(bytes.length))
  const wants =
    challenge === undefined
      ? "X-Odd: 1"
      : `WWW-Authenticate: ${
          random.chance(0.2)
            ? mutateBytes(challenge, random)
                .toString("latin1")
                .replaceAll(/[\r\n\0]/g, " ")
            : challenge
        }`
  const location = rarely(
    [
      "Location: file:///etc/passwd",
      "Location: http://[",
      `Location: ${request.url}`,
      "Location: http://10.0.0.1/",
    ],
    "X-Other: 1",
  )
  const head = [
    `HTTP/1.1 ${code}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    wants,
    location,
    "Connection: close",
    "",
    "",
  ]
  return Buffer.concat([Buffer.from(head.join("\r\n"), "latin1"), bytes])
}

it("Y15: thousands of answers to 600 logins that are nearly right: each login succeeds, or fails in one sentence", async () => {
  const random = createRandom(20261117)
  let served = 0
  const server = createServer(async (request) => {
    const sent = await text(request).catch(() => "")
    served += 1
    request.socket.end(oddly(origin, { request, sent }, random))
  })
  server.on("clientError", (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [spec] = readServers({ mcpServers: { tracker: { url: `${origin}/mcp`, auth: "oauth" } } })
  if (spec?.kind !== "http") throw new Error("It is no server over HTTP.")
  const comeBack = async (address: URL) => {
    const back = new URL(address.searchParams.get("redirect_uri") ?? "")
    const query = new URLSearchParams({
      state: address.searchParams.get("state") ?? "",
      code: "code",
    })
    if (random.chance(0.2))
      query.set(
        random.pick(["iss", "error", "code"]),
        random.pick(["", "\u0000", origin, "https://evil.example"]),
      )
    await fetch(`${back.href}?${query}`).then((page) => page.text())
  }
  const homes = await Promise.all(Array.from({ length: 12 }, temporaryHome))
  const ends = { yes: 0, no: 0 }
  const logIn = async (home: string) => {
    const ending = new AbortController()
    const options = { home, environment: {}, port: 0, signal: ending.signal }
    const onAddress = (address: URL) => void comeBack(address).catch(() => ending.abort())
    // One that nobody comes back to is given up.
    const enough = setTimeout(() => ending.abort(), 5_000)
    const failed = await loginToServer(spec, { ...options, onAddress }).catch(
      (error: unknown) => error,
    )
    clearTimeout(enough)
    if (failed === undefined) ends.yes += 1
    else {
      ends.no += 1
      expect(failed).toBeInstanceOf(ToolFailure)
      expect(Object(failed).message).toMatch(/^\P{Cc}+\.$/u)
    }
  }
  for (let round = 0; round < 50; round += 1) await Promise.all(homes.map(logIn))
  expect(ends.yes).toBeGreaterThan(5)
  expect(ends.no).toBeGreaterThan(50)
  expect(served).toBeGreaterThan(2_000)
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
}, 600_000)

it("Y15: 3,000 requests to where a browser comes back that are nearly right: only the right one is taken", async () => {
  const random = createRandom(20261118)
  await using listener = await listenForRedirect(0, false)
  const { port } = new URL(listener.address)
  const state = "s".repeat(43)
  const answer = listener.answer(state, AbortSignal.timeout(500_000))
  const request = `GET /callback?code=c&state=${state.slice(1)}x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
  const ask = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1")
      socket.on("error", () => {}).on("close", () => resolve())
      socket.resume()
      let bytes = mutateBytes(request, random)
      if (random.chance(0.5)) bytes = mutateBytes(bytes.toString("latin1"), random)
      socket.end(bytes)
    })
  for (let round = 0; round < 100; round += 1) await Promise.all(Array.from({ length: 30 }, ask))
  const page = fetch(`${listener.address}?code=right&state=${state}`).then((one) => one.text())
  const { params, tell } = await answer
  expect(params.get("code")).toBe("right")
  tell("<b>Done</b>")
  expect(await page).toContain("&lt;b>Done")
}, 600_000)
