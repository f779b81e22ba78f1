import { readFile, stat } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client"
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { describe, expect, it } from "vitest"
import { defineTool } from "../../src/contract/index.ts"
import { serverLimits } from "../../src/mcp/limits.ts"
import { type HttpGround, openHttpGround } from "./http-ground.ts"

const generations = [
  { generation: "2025-11-25", mode: "legacy" },
  { generation: "2026-07-28", mode: { pin: "2026-07-28" } },
] as const

type Mode = (typeof generations)[number]["mode"]

async function connect(
  { url, token }: HttpGround,
  mode: Mode,
  { name = "test", ...options }: ClientOptions & { name?: string } = {},
): Promise<Client> {
  const client = new Client(
    { name, version: "1.0.0" },
    { ...options, versionNegotiation: { mode } },
  )
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

const write = (client: Client, content: string) =>
  client.callTool({ name: "file_write", arguments: { path: "a.txt", content } })
const read = (client: Client) =>
  client.callTool({ name: "file_read", arguments: { path: "a.txt" } })

const talk = defineTool({
  name: "test.talk",
  description: "Talks.",
  input: { type: "object", properties: {}, additionalProperties: false } as const,
  run: (_, { output }) => output({ stream: "stdout", bytes: new TextEncoder().encode("live") }),
})

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
}

function post(ground: HttpGround, body: unknown, headers: Record<string, string> = {}) {
  return fetch(ground.url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${ground.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
}

/** fetch sets Host and Origin by itself. */
function statusWith(ground: HttpGround, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${ground.token}`, ...headers }
    const sent = request(ground.url, { method: "POST", headers: all }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on("error", reject)
    sent.end("{}")
  })
}

describe.each(generations)("a client of $generation over HTTP", ({ mode }) => {
  it("O1, F20: lists, calls, sees live output, and has sandboxes of its own", async () => {
    await using ground = await openHttpGround({ tools: () => [talk] })
    const one = await connect(ground, mode, { name: "one" })
    const other = await connect(ground, mode, { name: "other" })
    expect((await one.listTools()).tools.length).toBeGreaterThan(5)
    const seen: string[] = []
    const onprogress = ({ message = "" }) => seen.push(message)
    await one.callTool({ name: "test_talk" }, { onprogress })
    expect(seen.join("")).toBe("live")
    expect(await write(one, "mine")).toMatchObject({ structuredContent: { ok: true } })
    expect(await read(one)).toMatchObject({ structuredContent: { result: { text: "mine" } } })
    expect(await read(other)).toMatchObject({
      isError: true,
      structuredContent: { kind: "not_found" },
    })
    expect(ground.events.filter(({ kind }) => kind === "call-ended")).toHaveLength(4)
    await one.close()
    await other.close()
  })

  it("F20: with many tools, a search loads for the client that searched, which hears of it alone", async () => {
    await using ground = await openHttpGround({ defer: "on" })
    const heard: string[] = []
    const watching = (name: string) => ({
      name,
      listChanged: { tools: { debounceMs: 0, onChanged: () => heard.push(name) } },
    })
    const other = await connect(ground, mode, watching("other"))
    const one = await connect(ground, mode, watching("one"))
    const listed = async (client: Client) =>
      (await client.listTools()).tools.map(({ name }) => name)
    expect(await listed(one)).toEqual(await listed(other))
    // Each search finds one more: an older client may open its stream for notifications after the first.
    let limit = 0
    const search = () => {
      limit += 1
      return one.callTool({ name: "tools_search", arguments: { query: "memory", limit } })
    }
    await expect.poll(async () => (await search()) && heard[0], { interval: 200 }).toBe("one")
    expect(await listed(one)).toContain("memory_write")
    expect(await listed(other)).not.toContain("memory_write")
    expect(heard).not.toContain("other")
    const note = { namespace: "user", content: "Prefers tea." }
    expect(await one.callTool({ name: "memory_write", arguments: note })).toMatchObject({
      structuredContent: { ok: true },
    })
    await one.close()
    await other.close()
  })

  it("a call is ended when it is cancelled, and when its connection is lost", async () => {
    const begun = new Set<string>()
    const ended: string[] = []
    const hang = defineTool({
      name: "test.hang",
      description: "Hangs.",
      input: {
        type: "object",
        properties: { name: { type: "string" } },
        additionalProperties: false,
      } as const,
      run: ({ name = "" }, { signal }) =>
        new Promise<void>((resolve) => {
          begun.add(name)
          signal.addEventListener("abort", () => {
            ended.push(name)
            resolve()
          })
        }),
    })
    await using ground = await openHttpGround({ tools: () => [hang] })
    const client = await connect(ground, mode)
    const cancel = new AbortController()
    const call = (name: string, signal?: AbortSignal) =>
      client
        .callTool({ name: "test_hang", arguments: { name } }, signal && { signal })
        .catch(() => {})
    const cancelled = call("cancelled", cancel.signal)
    const lost = call("lost")
    await expect.poll(() => begun.size).toBe(2)
    cancel.abort()
    await cancelled
    await expect.poll(() => ended).toEqual(["cancelled"])
    await client.close()
    await lost
    await expect.poll(() => ended).toEqual(["cancelled", "lost"])
  })

  it("Y11: an ask becomes a question to the person at the client", async () => {
    await using ground = await openHttpGround({
      policy: { tools: { policy: "full", hooks: { confirm: ["file.write"] } } },
    })
    const client = await connect(ground, mode, { capabilities: { elicitation: { form: {} } } })
    let action: "accept" | "decline" = "accept"
    client.setRequestHandler("elicitation/create", () => ({ action, content: {} }))
    expect(await write(client, "yes")).toMatchObject({ structuredContent: { ok: true } })
    action = "decline"
    expect(await write(client, "no")).toMatchObject({
      structuredContent: { kind: "user_denied" },
    })
    await client.close()
  })
})

it("F20: a client of the SDK's first generation works over HTTP", async () => {
  await using ground = await openHttpGround()
  const client = new FirstClient({ name: "first", version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${ground.token}` } }
  await client.connect(new FirstTransport(new URL(ground.url), { requestInit }) as never)
  expect((await client.listTools()).tools.length).toBeGreaterThan(5)
  expect(await client.callTool({ name: "file_list", arguments: { path: "." } })).toMatchObject({
    structuredContent: { ok: true, result: { kind: "listing" } },
  })
  await client.close()
})

it("the token is made once, only its owner can read it, and nobody gets in without it", async () => {
  await using ground = await openHttpGround()
  const file = join(ground.home, "token")
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readFile(file, "utf8")).trim()).toBe(ground.token)
  expect(ground.token).toMatch(/^[\w-]{43}$/)
  for (const given of ["", "Bearer", "Bearer wrong", `Basic ${ground.token}`]) {
    const answer = await post(ground, initialize, { Authorization: given })
    expect(answer.status).toBe(401)
    expect(answer.headers.get("www-authenticate")).toContain("Bearer")
  }
  const tries = Array.from({ length: 80 }, () =>
    post(ground, initialize, { Authorization: "Bearer guess" }).then(({ status }) => status),
  )
  expect(await Promise.all(tries)).toContain(429)
  expect((await post(ground, initialize)).status).toBe(200)
})

it("a page of another origin, or under another name for this machine, gets nothing", async () => {
  await using ground = await openHttpGround()
  const json = { "content-type": "application/json" }
  expect(await statusWith(ground, { ...json, host: "evil.example.com" })).toBe(403)
  expect(await statusWith(ground, { ...json, origin: "https://evil.example.com" })).toBe(403)
  expect(await statusWith(ground, { ...json, origin: "null" })).toBe(403)
})

it("a session belongs to the token that opened it", async () => {
  const second = "another-token-of-the-test"
  await using ground = await openHttpGround({ token: second })
  expect((await stat(join(ground.home, "token"))).mode & 0o777).toBe(0o600)
  const opened = await post(ground, initialize)
  const session = opened.headers.get("mcp-session-id") ?? ""
  expect(session).toMatch(/^[0-9a-f-]{36}$/)
  const ping = async (headers: Record<string, string>) =>
    (await post(ground, { jsonrpc: "2.0", id: 1, method: "ping" }, headers)).status
  const other = { Authorization: `Bearer ${second}` }
  expect(await ping({ "Mcp-Session-Id": session })).toBe(200)
  expect(await ping({ "Mcp-Session-Id": session, ...other })).toBe(404)
  expect(await ping({ "Mcp-Session-Id": "another" })).toBe(404)
  expect(await ping({})).toBe(400)
  expect((await post(ground, initialize, other)).status).toBe(200)
})

it("what is no message or too large is refused, and the server goes on", async () => {
  await using ground = await openHttpGround()
  const answers = await Promise.all([
    post(ground, "{"),
    post(ground, "[]"),
    post(ground, "{}", { "Content-Type": "text/plain" }),
    post(ground, `"${"a".repeat(serverLimits.messageBytes)}"`).catch(() => ({ status: 413 })),
    fetch(new URL("/other", ground.url)),
  ])
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 415, 413, 404])
  expect((await post(ground, initialize)).status).toBe(200)
})
