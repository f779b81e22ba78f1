import { readdir, readFile, stat } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { openBridge, temporaryHome } from "../../../../test/support/mcp/bridge-fixture.ts"
import { browse, guardedServer, machine } from "../../../../test/support/mcp/oauth-fixture.ts"
import type { McpServerConfig } from "../../../config/index.ts"
import { type HttpServer, readServers } from "../../../config/index.ts"
import { type LoginOptions, loginToServer } from "./login-to-server.ts"
import { loginsIn } from "./logins.ts"
import { oauthFetch } from "./oauth-fetch.ts"

const tool = "mcp:tracker:greet"

function specOf(config: McpServerConfig): HttpServer {
  const [server] = readServers({ mcpServers: { tracker: config } })
  if (server?.kind !== "http") throw new Error("It is no server over HTTP.")
  return server
}

function login(config: McpServerConfig, home: string, options: Partial<LoginOptions> = {}) {
  return loginToServer(specOf(config), {
    home,
    environment: {},
    port: 0,
    signal: AbortSignal.timeout(60_000),
    onAddress: (address) => void browse(address).catch(() => {}),
    ...options,
  })
}

const open = (config: McpServerConfig, home: string) =>
  openBridge({ mcpServers: { tracker: config } }, { home })

describe("a server that wants a login", () => {
  it("Y15: is unavailable until a person has logged in; its tokens are renewed, and when they are revoked it needs another login", async () => {
    const server = await guardedServer()
    const home = await temporaryHome()
    const config = { url: server.url, headers: { "X-Team": "only for the server" } }
    const { session, bridge } = await open(config, home)
    const events: unknown[] = []
    session.listen((event) => events.push(event))
    await session.prepare()
    const why = "It needs a login. A person has to run: toolkeep mcp login tracker"
    expect(bridge.list()).toEqual([
      { server: "tracker", state: { kind: "needs login", why }, problem: null, tools: [] },
    ])
    const first = await session.call(tool, {})
    expect(first).toMatchObject({ ok: false, kind: "unavailable" })
    expect(JSON.stringify(first)).toContain("toolkeep mcp login tracker")

    await login(config, home)
    const hello = { ok: true, result: { content: [{ type: "text", text: "Hello." }] } }
    expect(await session.call(tool, {})).toMatchObject(hello)

    server.expire("access")
    const renewed = await Promise.all([1, 2, 3].map(() => session.call(tool, {})))
    expect(renewed).toMatchObject([hello, hello, hello])
    expect(server.grants).toEqual({ authorization_code: 1, refresh_token: 1 })

    server.expire("all")
    const revoked = await session.call(tool, {})
    expect(revoked).toMatchObject({
      ok: false,
      kind: "unavailable",
      retryable: false,
      message:
        'The MCP server "tracker" refused the call: It needs another login. A person has to run: toolkeep mcp login tracker',
    })
    const later = await session.call(tool, {})
    expect(later).toMatchObject({ ok: false, kind: "unavailable" })

    await login(config, home)
    expect(await session.call(tool, {})).toMatchObject(hello)
    const withTeam = server.seen.filter(({ team }) => team !== undefined)
    expect(new Set(withTeam.map(({ path }) => path))).toEqual(new Set(["/mcp"]))
    const said = JSON.stringify([events, bridge.list(), first, renewed, revoked, later])
    for (const secret of server.secrets) expect(said).not.toContain(secret)
  })

  it("Y15: that misses a scope for a call says so, and the next login asks for it as well", async () => {
    const server = await guardedServer()
    const home = await temporaryHome()
    const config = { url: server.url, oauth: { scope: "read" } }
    await login(config, home)
    const { session } = await open(config, home)
    server.behaviour.scope = "write"
    const refused = await session.call(tool, {})
    expect(refused).toMatchObject({ ok: false, kind: "unavailable", retryable: false })
    expect(JSON.stringify(refused)).toContain("toolkeep mcp login tracker")
    await login(config, home)
    expect(await session.call(tool, {})).toMatchObject({ ok: true })
    expect((await loginsIn(home).read(specOf(config)))?.tokens?.scope).toBe("read write")
  })

  it("Y15: has its tokens in a file of its owner's, and an address that has changed never gets them", async () => {
    const server = await guardedServer()
    const home = await temporaryHome()
    await login({ url: server.url }, home)
    const directory = join(home, "mcp", "logins")
    const [file = "", ...others] = await readdir(directory)
    expect(others).toEqual([])
    expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect(await readFile(join(directory, file), "utf8")).toContain("refresh-")

    const moved = server.url.replace("/mcp", "/other")
    const { session } = await open({ url: moved }, home)
    expect(await session.call(tool, {})).toMatchObject({ ok: false, kind: "unavailable" })
    const there = server.seen.filter(({ path }) => path === "/other")
    expect(there.length).toBeGreaterThan(0)
    expect(there.every(({ authorization }) => authorization === undefined)).toBe(true)

    const back = await open({ url: server.url }, home)
    expect(await back.session.call(tool, {})).toMatchObject({ ok: true })
    const logins = loginsIn(home)
    expect(await logins.forget({ name: "tracker", url: new URL(moved) })).toBe(true)
    expect(await readdir(directory)).toEqual([])
    expect(await logins.forget({ name: "tracker", url: new URL(moved) })).toBe(false)
  })

  it("Y15: that lets Toolkeep in by itself gets its id and secret, and nobody else does", async () => {
    const server = await guardedServer()
    process.env.TOOLKEEP_TEST_SECRET = machine.secret
    onTestFinished(() => void delete process.env.TOOLKEEP_TEST_SECRET)
    const oauth = {
      grant: "client_credentials",
      client_id: machine.id,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
      client_secret: "${TOOLKEEP_TEST_SECRET}",
    } as const
    const good = await open({ url: server.url, oauth }, await temporaryHome())
    expect(await good.session.call(tool, {})).toMatchObject({ ok: true })

    const wrong = { ...oauth, client_secret: "not-the-secret-at-all" }
    const bad = await open({ url: server.url, oauth: wrong }, await temporaryHome())
    const refused = await bad.session.call(tool, {})
    expect(refused).toMatchObject({ ok: false, kind: "unavailable" })
    expect(JSON.stringify(refused)).toContain(
      "It did not accept Toolkeep's credentials: invalid_client.",
    )

    const issuer = "https://login.example.com"
    const other = await open(
      { url: server.url, oauth: { ...oauth, issuer } },
      await temporaryHome(),
    )
    const before = { ...server.grants }
    expect(await other.session.call(tool, {})).toMatchObject({ ok: false, kind: "unavailable" })
    expect(server.grants).toEqual(before)
  })
})

describe("a login", () => {
  it("Y15: takes only the answer that it waits for, and ends when the person says no or nothing", async () => {
    const server = await guardedServer()
    const home = await temporaryHome()
    const pages: string[] = []
    const onAddress = async (address: URL) => {
      const back = new URL(address.searchParams.get("redirect_uri") ?? "")
      for (const query of ["?code=stolen&state=guessed", "?code=stolen", ""]) {
        const page = await fetch(new URL(query, back))
        expect(page.status).toBe(400)
      }
      void browse(address).then((page) => pages.push(page))
    }
    await login({ url: server.url }, home, { onAddress })
    expect(server.grants).toEqual({ authorization_code: 1 })
    await expect.poll(() => pages).toEqual([expect.stringContaining("You are logged in.")])

    server.behaviour.consents = false
    await expect(login({ url: server.url }, await temporaryHome())).rejects.toMatchObject({
      kind: "user_denied",
      message: "The login was refused: access_denied.",
    })
    const signal = AbortSignal.abort()
    await expect(login({ url: server.url }, home, { signal })).rejects.toMatchObject({
      kind: "timeout",
    })
  })

  it("Y15: goes to no address inside the network that the server's metadata names", async () => {
    let visits = 0
    const inside = createServer((_, response) => {
      visits += 1
      response.end("{}")
    })
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void inside.close())
    const { port } = inside.address() as AddressInfo
    const server = await guardedServer()
    for (const [address, why] of [
      [`http://localhost:${port}`, "it is not https"],
      [`https://localhost:${port}`, "it leads to 127.0.0.1"],
      ["https://169.254.169.254/latest", "it leads to 169.254.169.254, a link-local address"],
      ["https://10.0.0.1", "it leads to 10.0.0.1, a private address"],
    ] as const) {
      server.behaviour.authorizationServer = address
      const refused = login({ url: server.url }, await temporaryHome())
      await expect(refused).rejects.toThrow(`may not be reached: ${why}`)
    }
    const fetchIt = oauthFetch([new URL("https://mcp.example.com")])
    await expect(fetchIt(`https://127.0.0.1:${port}`)).rejects.toThrow("may not be reached")
    await expect(fetchIt("file:///etc/passwd")).rejects.toThrow("it is not a web address")
    const redirector = createServer((_, response) => {
      response.writeHead(302, { Location: `http://localhost:${port}/` }).end()
    })
    await new Promise<void>((resolve) => redirector.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void redirector.close())
    const named = new URL(`http://127.0.0.1:${(redirector.address() as AddressInfo).port}`)
    await expect(oauthFetch([named])(named)).rejects.toThrow("it is not https")
    expect(visits).toBe(0)
  })

  it("Y15: is refused where its tokens could be listened to, or where there is nothing to log in to", async () => {
    const home = await temporaryHome()
    await expect(login({ url: "http://mcp.example.com/mcp" }, home)).rejects.toThrow("not https")
    expect(() => specOf({ url: "http://mcp.example.com/mcp", auth: "oauth" })).toThrow(
      "mcpServers.tracker.url must be https",
    )
    expect(() =>
      specOf({ url: "https://mcp.example.com/mcp", oauth: { client_secret: "a" } }),
    ).toThrow("needs a client_id")
    expect(() =>
      specOf({
        url: "https://mcp.example.com/mcp",
        auth: "oauth",
        headers: { authorization: "Bearer a" },
      }),
    ).toThrow("has an Authorization")
  })
})
