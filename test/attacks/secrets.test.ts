import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { type McpServerConfig, readServers } from "../../src/config/index.ts"
import { loginToServer } from "../../src/mcp/bridge/oauth/login-to-server.ts"
import { parsePolicyYaml } from "../../src/policy/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../../src/session/index.ts"
import { openBridge, scriptedServer, temporaryHome } from "../support/mcp/bridge-fixture.ts"

/** One each, so that a message that holds one says where it came from. */
const secrets = {
  header: "hdr-5f0c1d2e3a4b",
  bearer: "brr-9a8b7c6d5e4f",
  filled: "fil-1029384756ab",
  environment: "env-aa11bb22cc33",
  argument: "arg-77f6e5d4c3b2",
  query: "qry-0f1e2d3c4b5a",
  path: "pth-c0ffee00c0ffee00",
  password: "pwd-3141592653ab",
  client: "cli-2718281828ab",
  model: "mod-1618033988ab",
  search: "sea-1414213562ab",
  multiline: "first-line-of-pem\nsecond-line-of-pem",
} as const

const parts = Object.values(secrets).flatMap((secret) => secret.split("\n"))

function expectNone(said: unknown): void {
  const all = typeof said === "string" ? said : JSON.stringify(said)
  for (const secret of parts) {
    expect(all).not.toContain(secret)
    expect(all).not.toContain(secret.slice(0, -2))
    expect(all).not.toContain(Buffer.from(secret).toString("base64").slice(0, 12))
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A server on loopback that answers as the row of the table says. */
async function serve(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) =>
    answer(request, response, await text(request)),
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** As the worst of servers do: everything that came is in the answer, in several forms. */
const echo = (request: IncomingMessage, body: string) => {
  const all = `${request.url} ${JSON.stringify(request.headers)} ${body}`
  return `error: ${all} ${decodeURIComponent(all.replaceAll("+", " "))}`
}

const answers: Readonly<Record<string, Answer>> = {
  "401 with all that came": (request, response, body) =>
    response.writeHead(401).end(echo(request, body)),
  "401 that challenges": (request, response, body) =>
    response
      .writeHead(401, { "WWW-Authenticate": `Bearer realm="${request.headers["x-key"]}"` })
      .end(echo(request, body)),
  "403 as JSON": (request, response, body) =>
    response
      .writeHead(403, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { message: echo(request, body) } })),
  "500 with all that came": (request, response, body) =>
    response.writeHead(500).end("x".repeat(430) + echo(request, body)),
  "200 that is not JSON": (request, response, body) =>
    response.writeHead(200, { "content-type": "application/json" }).end(echo(request, body)),
  "200 of another type": (request, response, body) =>
    response
      .writeHead(200, { "content-type": echo(request, "").replaceAll(/[^ -~]/g, "") })
      .end(body),
  "an error of the protocol": (request, response, body) => {
    const { id = null } = body.startsWith("{") ? JSON.parse(body) : {}
    const error = { code: -32_000, message: echo(request, body), data: echo(request, body) }
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, error }))
  },
  "a redirect to nowhere": (request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:1${request.url}` }).end(),
  "a cut connection": (request) => request.socket.destroy(),
}

const environment = {
  SECRET_FILLED: secrets.filled,
  SECRET_MODEL: secrets.model,
  SECRET_SEARCH: secrets.search,
}
/* biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it. */
const filled = "Token ${SECRET_FILLED}"

function withEnvironment(): void {
  Object.assign(process.env, environment)
  onTestFinished(() => {
    for (const name of Object.keys(environment)) delete process.env[name]
  })
}

/** Everything that a session says while its servers fail: states, envelopes and events. */
async function everythingSaid(mcpServers: Record<string, McpServerConfig>): Promise<unknown> {
  const { session, bridge } = await openBridge({ mcpServers })
  const said: unknown[] = []
  session.listen((event) => {
    said.push(event.kind === "call-output" ? new TextDecoder().decode(event.chunk.bytes) : event)
  })
  await session.prepare()
  said.push(bridge.list())
  for (const name of Object.keys(mcpServers)) said.push(await session.call(`mcp:${name}:echo`, {}))
  said.push(bridge.list())
  return said
}

describe("no message holds a secret", () => {
  it("Y15: of the headers and the address of a server over HTTP, however it fails", async () => {
    withEnvironment()
    const urls = await Promise.all(Object.values(answers).map(serve))
    const headers = {
      "X-Key": secrets.header,
      Authorization: `Bearer ${secrets.bearer}`,
      "X-Filled": filled,
    }
    const config = (url: string): McpServerConfig => ({
      url: `${url}/mcp/${secrets.path}?key=${secrets.query}`,
      headers,
    })
    const good = "http://127.0.0.1:1"
    const broken: Record<string, Record<string, string>> = {
      newline: { "X-Key": `${secrets.header}\r\nX-Other: ${secrets.bearer}` },
      control: { Authorization: `Bearer ${secrets.bearer}\u0000${secrets.header}` },
      wide: { Authorization: `Bearer ${secrets.bearer}\u2026` },
      name: { [`Authorization: Bearer ${secrets.bearer}`]: "x" },
    }
    const said = await everythingSaid({
      ...Object.fromEntries(urls.map((url, index) => [`server${index}`, config(url)])),
      ...Object.fromEntries(
        Object.entries(broken).map(([name, one]) => [name, { url: good, headers: one }]),
      ),
      refused: config(good),
    })
    expectNone(said)
    expect(JSON.stringify(said)).toContain("Its header X-Key has a line break or another character")
    expect(() =>
      readServers({ mcpServers: { a: { url: `http://me:${secrets.password}@x/mcp` } } }),
    ).toThrow(expect.objectContaining({ message: expect.not.stringContaining(secrets.password) }))
  })

  it("Y15: of the environment and the arguments of a program, whatever it complains about", async () => {
    withEnvironment()
    const env = {
      ODD: secrets.environment,
      FILLED: filled,
      PEM: secrets.multiline,
      DB: `postgres://me:${secrets.password}@db/x`,
    }
    const all =
      "JSON.stringify(process.env) + process.argv.join(' ') + process.env.PEM + process.env.DB"
    const args = (config: McpServerConfig): McpServerConfig => ({
      ...config,
      args: [
        ...(config.args ?? []),
        "--",
        "--token",
        secrets.argument,
        `--api-key=${secrets.argument}`,
      ],
      env,
    })
    const said = await everythingSaid({
      complains: args(scriptedServer(`process.stderr.write("error: " + ${all}); process.exit(1)`)),
      floods: args(
        scriptedServer(`process.stderr.write((${all} + " ").repeat(50)); process.exit(1)`),
      ),
      lines: args(
        scriptedServer(
          `process.stderr.write(process.env.PEM + "\\nerror " + process.env.PEM.split("\\n")[1]); process.exit(1)`,
        ),
      ),
      fails: args(
        scriptedServer(
          `on["tools/call"] = ({ id }) => answer(id, { isError: true, content: [{ type: "text", text: ${all} }] })`,
        ),
      ),
      errs: args(
        scriptedServer(
          `on["tools/call"] = ({ id }) => send({ id, error: { code: -32602, message: ${all} } })`,
        ),
      ),
      dies: args(
        scriptedServer(
          `on["tools/call"] = () => { process.stderr.write(${all}); process.exit(3) }`,
        ),
      ),
      nul: { command: "true", env: { KEY: `${secrets.environment}\u0000` } },
      nulArgument: { command: "true", args: [`${secrets.argument}\u0000`] },
      absent: { ...args({ command: "no-such-program" }) },
      sandboxed: { command: "true", sandbox: true, env: { KEY: `${secrets.environment}\u0000` } },
    })
    expectNone(said)
  })

  it("Y15: of a login's client, when the authorization server repeats it", async () => {
    withEnvironment()
    for (const answer of Object.values(answers)) {
      const url: string = await serve((request, response, body) => {
        const path = request.url ?? ""
        if (path.includes("oauth-protected-resource")) {
          return response
            .writeHead(200)
            .end(JSON.stringify({ resource: `${url}/mcp`, authorization_servers: [url] }))
        }
        if (path.includes("well-known")) {
          const endpoints = {
            authorization_endpoint: `${url}/authorize`,
            token_endpoint: `${url}/token`,
          }
          const more = {
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
          }
          return response.writeHead(200).end(JSON.stringify({ issuer: url, ...endpoints, ...more }))
        }
        if (path.startsWith("/token")) return answer(request, response, body)
        const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`
        response
          .writeHead(401, { "WWW-Authenticate": `Bearer ${metadata}` })
          .end(echo(request, body))
      })
      const client = {
        client_id: "me",
        client_secret: secrets.client,
        grant: "client_credentials",
      } as const
      const headers = { "X-Key": secrets.header }
      const config = { url: `${url}/mcp`, oauth: client, headers }
      expectNone(await everythingSaid({ tracker: config }))
      const { grant: _, ...oauth } = client
      const [server] = readServers({ mcpServers: { tracker: { ...config, oauth } } })
      if (server?.kind !== "http") throw new Error("It is no server over HTTP.")
      const codes = new Set<string>()
      const failed = await loginToServer(server, {
        home: await temporaryHome(),
        environment: {},
        port: 0,
        signal: AbortSignal.timeout(60_000),
        onAddress: async (address) => {
          const back = new URL(address.searchParams.get("redirect_uri") ?? "")
          back.searchParams.set("state", address.searchParams.get("state") ?? "")
          back.searchParams.set("code", "code-123456789abc")
          codes.add("code-123456789abc")
          void fetch(back).catch(() => {})
        },
      }).catch((error: unknown) => String(Object(error).message))
      expect(typeof failed).toBe("string")
      expectNone(failed)
      for (const code of codes) expect(failed).not.toContain(code)
    }
  })

  it("of the keys and addresses of models and search services", async () => {
    withEnvironment()
    const home = await mkdtemp(join(tmpdir(), "toolkeep-secrets-"))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    await writeFile(join(home, "a.png"), Buffer.from(onePixel, "base64"))
    const open = async (policy: ToolkeepOptions["policy"]) => {
      const keep = await openToolkeep({
        host: "local",
        directory: home,
        home: join(home, "home"),
        ...(policy && { policy }),
      })
      onTestFinished(() => keep.close())
      return keep.session()
    }
    const urls = await Promise.all(Object.values(answers).map(serve))
    const addresses = [
      ...urls.map((url) => `${url}/${secrets.path}?key=${secrets.query}`),
      `http://me:${secrets.password}@127.0.0.1:1/`,
      `http://127.0.0.1:1/${secrets.path}`,
    ]
    const said: unknown[] = []
    for (const [index, url] of addresses.entries()) {
      // One with a line break inside, as a careless copy has it.
      process.env.SECRET_MODEL =
        index % 2 === 0 ? secrets.model : `${secrets.model}\n${secrets.header}`
      process.env.SECRET_SEARCH =
        index % 2 === 0 ? secrets.search : `${secrets.search}\n${secrets.header}`
      const endpoint = { url, model: "m", key_from: "SECRET_MODEL" }
      const session = await open({
        tools: { policy: "full" },
        search: (["searxng", "brave", "tavily"] as const).map((provider) => ({
          provider,
          url,
          key_from: "SECRET_SEARCH",
        })),
        models: { vision: endpoint, embeddings: endpoint, transcription: endpoint },
      })
      session.listen((event) => said.push(event))
      said.push(await session.call("web.search", { query: "x" }))
      said.push(await session.call("image.analyze", { path: "a.png", prompt: "What is it?" }))
      await session.call("memory.write", { namespace: "a", content: "remember this" })
      said.push(await session.call("memory.search", { query: "remember" }))
    }
    expectNone(said)
  }, 120_000)

  it("of a toolkeep.yaml that can't be read", async () => {
    const mistakes = [
      `mcpServers: { a: { url: "http://x/", headers: { K: *${secrets.header} } } }`,
      `mcpServers: { a: { url: "http://x/", headers: { K: !${secrets.header} x } } }`,
      `mcpServers: { a: { url: "http://x/", headers: { K: "${secrets.header}\n`,
      `mcpServers: { a: { url: "http://x/", headers: { K: [${secrets.header}] } } }`,
      `mcpServers: { a: { url: "http://x/", headers: "${secrets.header}" } }`,
      `mcpServers:\n  a:\n    url: http://x/\n    headers:\n      K: @${secrets.header}\n`,
      `mcpServers:\n  a:\n    url: http://x/\n    headers:\n      K: a: ${secrets.header}\n`,
      `mcpServers:\n  a:\n    url: http://x/\n    headers:\n      K: "\\q${secrets.header}"\n`,
      `mcpServers: { a: { url: "${secrets.password}" } }`,
      `search: [{ provider: brave, key_from: "${secrets.search}" }]`,
      `search: [{ provider: brave, key_from: "BSA${secrets.search.replaceAll("-", "x")}" }]`,
      `models: { vision: { url: "http://x/", model: m, key_from: "${secrets.model}" } }`,
    ]
    for (const mistake of mistakes) {
      const said = await parsePolicyYaml(mistake, "toolkeep.yaml")
        .then((config) => readServers(config))
        .catch((error: unknown) => Object(error).message)
      expect(typeof said, mistake).toBe("string")
      expectNone(said)
    }
  })

  it("of a key that stands where the name of its variable belongs, also one of capitals and digits alone", async () => {
    const search = (key: string) => `search: [{ provider: brave, key_from: "${key}" }]`
    const vision = (key: string) =>
      `models: { vision: { url: "http://x/", model: m, key_from: "${key}" } }`
    const said = (text: string) =>
      parsePolicyYaml(text, "toolkeep.yaml").then(
        () => "accepted",
        (error: unknown) => String(Object(error).message),
      )
    const keys = [
      "AKIAIOSFODNN7EXAMPLE",
      "JBSWY3DPEHPK3PXP",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
      "SK_LIVE_51H8QKJ2EZ",
    ]
    for (const key of keys) {
      for (const text of [search(key), vision(key)]) {
        expect(await said(text)).toContain("key_from")
        expect(await said(text)).not.toContain(key)
      }
    }
    const names = [
      "KEY",
      "OPENAIAPIKEY",
      "E2B_API_KEY",
      "AZURE_OPENAI_API_KEY_2",
      "_S3_AUTHORIZATION",
    ]
    for (const name of names) expect([name, await said(search(name))]).toEqual([name, "accepted"])
  })
})

const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
