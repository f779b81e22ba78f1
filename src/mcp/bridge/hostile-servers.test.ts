import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { openBridge, scriptedServer } from "../../../test/support/mcp/bridge-fixture.ts"
import type { McpServerConfig } from "../../config/index.ts"

/** What each does to its reader; the prelude's own answers stay for the rest. */
const scripts: Readonly<Record<string, string>> = {
  good: "",
  huge: `on["tools/call"] = () => {
    const piece = Buffer.alloc(1024 * 1024, "x")
    let left = 1024
    const more = () => { while (left-- > 0) if (!process.stdout.write(piece)) return process.stdout.once("drain", more) }
    more()
  }`,
  deep: `let schema = "{}"
    for (let depth = 0; depth < 10000; depth += 1) schema = '{"type":"object","properties":{"a":' + schema + "}}"
    on["tools/list"] = ({ id }) => process.stdout.write(
      '{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[{"name":"deep","inputSchema":' + schema + '},' +
      JSON.stringify(tools[0]) + "]}}\\n")`,
  many: `tools = Array.from({ length: 50000 }, (_, index) => ({ ...tools[0], name: "tool" + index }))`,
  twice: `on["tools/call"] = ({ id }) => { say(id, "first"); say(id, "second"); say(99999, "never asked") }`,
  never: `on["tools/call"] = () => {}`,
  alike: `tools = ["get.it", "get_it", "get it", "other", "other"].map((name) => ({ ...tools[0], name }))`,
  circle: `on["tools/list"] = ({ id, params }) => {
    const page = params?.cursor ?? "a"
    answer(id, { tools: [{ ...tools[0], name: page }], nextCursor: page === "a" ? "b" : "a" })
  }`,
  noisy: `process.stdout.write("Listening...\\n{not json}\\n[1, 2]\\n\\n\\u0000\\n")`,
  hidden: `tools[0].description = "Adds\\u0007 two \\u202Enumbers\\u202C.\\u{E0041}" + "x".repeat(100000)
    tools[0].inputSchema.properties.text.description = "A \\u001b[31mtext\\u200b."`,
  odd: `tools = [null, 7, { name: 5 }, { name: "plain" }, { name: "x".repeat(200) },
    { name: "list", inputSchema: { type: "array" } }, { name: "word", inputSchema: "text" },
    { name: "outside", inputSchema: { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } } },
    { name: "__proto__", inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') }]`,
  dying: `process.exit(1)`,
  mute: `on.initialize = () => process.exit(0)`,
}

const mcpServers = Object.fromEntries(
  Object.entries(scripts).map(([name, script]): [string, McpServerConfig] => [
    name,
    scriptedServer(script),
  ]),
)

it("Y15: hostile servers get clear answers, bounded memory, and leave everything else working", async () => {
  const { session, bridge } = await openBridge({ mcpServers })
  await session.prepare()
  const status = (name: string) => bridge.list().find(({ server }) => server === name)
  const states = (name: string) => status(name)?.tools.map(({ name: tool, state }) => [tool, state])
  const good = () => session.call("mcp:good:echo", { text: "still here" })
  expect(await good()).toMatchObject({ ok: true })

  expect(states("deep")).toEqual([
    ["mcp:deep:deep", { kind: "left out", why: "Its input schema nests more than 40 levels." }],
    ["mcp:deep:echo", { kind: "ready" }],
  ])
  expect(status("many")).toMatchObject({
    state: { kind: "ready" },
    problem: "It lists more than 1000 tools; the rest is left out.",
  })
  expect(status("many")?.tools).toHaveLength(1_000)
  expect(await session.call("mcp:many:tool999", { text: "a" })).toMatchObject({ ok: true })
  expect(states("alike")).toEqual([
    ["mcp:alike:get.it", { kind: "ready" }],
    [
      "mcp:alike:get_it",
      {
        kind: "left out",
        why: '"mcp:alike:get_it" and "mcp:alike:get.it" are both "mcp_alike_get_it" to a model; rename one of them.',
      },
    ],
    ["mcp:alike:get_it", { kind: "left out", why: expect.stringContaining("rename one of them") }],
    ["mcp:alike:other", { kind: "ready" }],
    ["mcp:alike:other", { kind: "left out", why: 'Its server lists "other" twice.' }],
  ])
  expect(states("circle")?.map(([tool]) => tool)).toEqual([
    "mcp:circle:a",
    "mcp:circle:b",
    "mcp:circle:a",
  ])
  expect(await session.call("mcp:noisy:echo", { text: "a" })).toMatchObject({ ok: true })

  const hidden = session.tools({ all: true }).find((tool) => tool.name === "mcp:hidden:echo")
  expect(hidden?.description).toMatch(/^Adds two numbers\.xxx/)
  expect(hidden?.description.length).toBeLessThan(4_100)
  expect(hidden?.inputSchema.properties?.text?.description).toBe("A [31mtext.")

  expect(states("odd")).toEqual([
    ["mcp:odd:plain", { kind: "ready" }],
    [expect.stringMatching(/^mcp:odd:x{47}_[0-9a-f]{8}$/), { kind: "ready" }],
    ["mcp:odd:list", { kind: "left out", why: "Its input schema does not describe an object." }],
    ["mcp:odd:word", { kind: "left out", why: "Its input schema is not an object." }],
    [
      "mcp:odd:outside",
      { kind: "left out", why: expect.stringContaining("$ref must lead to a schema inside") },
    ],
    [
      "mcp:odd:__proto__",
      { kind: "left out", why: expect.stringContaining("can't be an argument's name") },
    ],
  ])
  expect(await session.call("mcp:odd:plain")).toMatchObject({ ok: true })
  for (const name of ["dying", "mute"]) {
    expect(await session.call(`mcp:${name}:echo`)).toMatchObject({
      ok: false,
      kind: "unavailable",
      message: expect.stringMatching(/does not run: It ended with exit code [01]\./),
    })
  }

  expect(await session.call("mcp:twice:echo")).toMatchObject({
    ok: true,
    result: { content: [{ text: "first" }] },
  })
  expect(await session.call("mcp:twice:echo")).toMatchObject({ ok: true })
  expect(await session.call("mcp:never:echo", {}, { timeoutMs: 100 })).toMatchObject({
    ok: false,
    kind: "timeout",
  })

  const before = process.memoryUsage().rss
  expect(await session.call("mcp:huge:echo")).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: 'The MCP server "huge" ended during the call. It sent a message larger than 16 MiB.',
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 ** 2)
  expect(await good()).toMatchObject({ ok: true })
})

/** The same over HTTP, without any library. */
async function listen(
  call: (answer: (body: string) => void, write: (piece: string) => boolean) => void,
): Promise<{ readonly url: string; readonly headers: (string | undefined)[] }> {
  const headers: (string | undefined)[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers["x-key"]?.toString())
    let text = ""
    request.on("data", (piece) => {
      text += piece
    })
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end()
      const { id, method, params } = JSON.parse(text)
      if (id === undefined) return response.writeHead(202).end()
      response.on("error", () => {})
      const reply = (result: object) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...result }))
      }
      const serverInfo = { name: "http", version: "1.0.0" }
      const { protocolVersion } = params ?? {}
      if (method === "initialize") {
        return reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } })
      }
      if (method === "tools/list") {
        return reply({ result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } })
      }
      if (method !== "tools/call") return reply({ error: { code: -32_601, message: "No." } })
      call(
        (body) => reply({ result: { content: [{ type: "text", text: body }] } }),
        (piece) => {
          if (!response.headersSent)
            response.writeHead(200, { "content-type": "text/event-stream" })
          return response.write(piece)
        },
      )
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers }
}

it("Y15: servers over HTTP get the headers that the configuration names, and can't flood it either", async () => {
  process.env.TOOLKEEP_TEST_KEY = "secret"
  onTestFinished(() => {
    delete process.env.TOOLKEEP_TEST_KEY
  })
  const plain = await listen((answer) => answer("hello"))
  const flood = await listen((_answer, write) => {
    let turns = 0
    const timer = setInterval(() => {
      for (let count = 0; count < 4; count += 1) write(`data: ${"x".repeat(1024 * 1024)}\n`)
      turns += 1
      // Four times as much as is taken.
      if (turns === 16) clearInterval(timer)
    }, 1)
    onTestFinished(() => clearInterval(timer))
  })
  const { session } = await openBridge({
    mcpServers: {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
      plain: { url: plain.url, type: "http", headers: { "X-Key": "${TOOLKEEP_TEST_KEY}!" } },
      flood: { url: flood.url },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person writes it.
      unset: { url: plain.url, headers: { "X-Key": "${TOOLKEEP_TEST_UNSET}" } },
      nobody: { url: "http://127.0.0.1:9/mcp" },
    },
  })
  expect(await session.call("mcp:plain:echo")).toMatchObject({
    ok: true,
    result: { server: "plain", content: [{ text: "hello" }] },
  })
  expect(new Set(plain.headers)).toEqual(new Set(["secret!"]))
  expect(await session.call("mcp:flood:echo")).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: 'The MCP server "flood" ended during the call. It sent a message larger than 16 MiB.',
  })
  expect(await session.call("mcp:unset:echo")).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: expect.stringContaining(
      "Its header X-Key needs the environment variable TOOLKEEP_TEST_UNSET, which is not set.",
    ),
  })
  expect(await session.call("mcp:nobody:echo")).toMatchObject({ ok: false, kind: "unavailable" })
  expect(await session.call("mcp:plain:echo")).toMatchObject({ ok: true })
})
