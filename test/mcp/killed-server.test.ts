import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as SdkTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { expect, it, onTestFinished } from "vitest"
import type { CallEntries } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { connectOlder, newer, type RawAnswer, send } from "./raw-client.ts"

const tokens = ["a-token-of-the-test", "another-token-of-the-test"]
const source = (path: string) => new URL(`../../src/${path}`, import.meta.url).href

/** Serves until it is killed. `test.look` waits for a file of the home, `test.ask` for a person. */
const program = `
  import { existsSync, writeFileSync, appendFileSync } from "node:fs"
  import { setTimeout } from "node:timers/promises"
  const [session, mcp, contract, home, port, tokens] = process.argv.slice(1)
  const { openToolkeep } = await import(session)
  const { serveHttp } = await import(mcp)
  const { defineTool } = await import(contract)
  const input = { type: "object", properties: {}, additionalProperties: false }
  const define = (name, effects, run) => defineTool({ name, description: name, input, effects, run })
  const tools = [
    define("test.look", ["read"], async () => {
      writeFileSync(home + "/looking", "")
      while (!existsSync(home + "/go")) await setTimeout(20)
      return { text: "seen" }
    }),
    define("test.ask", ["write"], async () => {
      appendFileSync(home + "/done", "x")
      return { text: "asked" }
    }),
  ]
  const policy = { tools: { policy: "full", hooks: { confirm: ["test.ask"] } } }
  const toolkeep = await openToolkeep({ host: "bubblewrap", home, tools, policy, onWarning: () => {} })
  const server = await serveHttp(toolkeep, {
    persistAnswers: true, results: "both", tokens: JSON.parse(tokens), port: Number(port),
  })
  console.log(server.url)
`

interface Served {
  readonly url: string
  readonly token: string
  readonly port: string
  readonly child: ChildProcess
}

async function serve(home: string, port = "0"): Promise<Served> {
  const urls = [source("session/index.ts"), source("mcp/index.ts"), source("contract/index.ts")]
  const args = ["--input-type=module", "-e", program, ...urls, home, port, JSON.stringify(tokens)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [url] = await once(createInterface({ input: child.stdout }), "line")
  return { url, token: tokens[0] ?? "", port: new URL(url).port, child }
}

async function kill({ child }: Served): Promise<void> {
  child.kill("SIGKILL")
  await once(child, "exit")
}

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-killed-"))
  // The sandbox's user walks through it.
  chmodSync(home, 0o755)
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** The entries of the only session in the record of a home. */
async function entriesOf(home: string) {
  const store = await openRecord({ file: join(home, "record.sqlite") })
  try {
    const [session] = await store.sessions()
    const reader = await store.read(session?.name ?? "")
    const entries = (await reader?.entries({ limit: 1_000 })) ?? []
    const running = entries.find(({ body }) => JSON.stringify(body).includes("sleep 4000"))
    const { call } = (running?.body ?? { call: "" }) as CallEntries["call"]
    return { entries, name: session?.name, output: (await reader?.output(call))?.head ?? "" }
  } finally {
    await store.close()
  }
}

const patient = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 200,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 600,
}
const requestInit = { headers: { Authorization: `Bearer ${tokens[0]}` } }
const transportOptions = { requestInit, reconnectionOptions: patient }

interface Connected {
  call(name: string, input?: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

type Answer = () => Promise<{ action: "accept"; content: object }>

const clients: Readonly<Record<string, (url: URL, answer: Answer) => Promise<Connected>>> = {
  async "@modelcontextprotocol/client"(url, answer) {
    const client = new Client(
      { name: "killed", version: "1.0.0" },
      { versionNegotiation: { mode: "legacy" }, capabilities: { elicitation: {} } },
    )
    client.setRequestHandler("elicitation/create", answer as never)
    await client.connect(new StreamableHTTPClientTransport(url, transportOptions))
    return {
      call: (name, input = {}) => client.callTool({ name, arguments: input }, { timeout: 120_000 }),
      close: () => client.close(),
    }
  },
  async "@modelcontextprotocol/sdk"(url, answer) {
    const client = new SdkClient(
      { name: "killed", version: "1.0.0" },
      { capabilities: { elicitation: {} } },
    )
    client.setRequestHandler(ElicitRequestSchema, answer as never)
    await client.connect(new SdkTransport(url, transportOptions) as never)
    return {
      call: (name, input = {}) =>
        client.callTool({ name, arguments: input }, undefined, { timeout: 120_000 }),
      close: () => client.close(),
    }
  },
}

const waitForFile = (path: string) =>
  expect.poll(() => existsSync(path), { timeout: 60_000 }).toBe(true)

it.each(Object.keys(clients))(
  "F20, Y16, F17, X7: kill -9 of a server leaves every call of %s with its answer, its question or its run, and its files",
  async (library) => {
    const home = makeHome()
    const first = await serve(home)
    let asked = 0
    const firstAsked = Promise.withResolvers<void>()
    const never = Promise.withResolvers<never>()
    const answer: Answer = async () => {
      asked += 1
      if (asked > 1) return { action: "accept", content: {} }
      firstAsked.resolve()
      return never.promise
    }
    const client = await clients[library]?.(new URL(`${first.url}?session=work`), answer)
    if (!client) throw new Error("There is no such client.")
    onTestFinished(() => client.close())
    await client.call("file_write", { path: "a.txt", content: "before" })
    const interrupted = client.call("shell_exec", { command: "echo half; sleep 4000" })
    const looking = client.call("test_look")
    const asking = client.call("test_ask")
    await waitForFile(join(home, "looking"))
    await firstAsked.promise
    await expect
      .poll(async () => (await entriesOf(home)).output, { timeout: 60_000 })
      .toBe("half\n")
    await kill(first)
    writeFileSync(join(home, "go"), "")
    await serve(home, first.port)
    expect(await interrupted).toMatchObject({
      isError: true,
      structuredContent: {
        kind: "execution_error",
        retryable: false,
        message: expect.stringMatching(/outcome is unknown.*It had printed:\nhalf/s),
      },
    })
    expect(await looking).toMatchObject({ structuredContent: { result: { text: "seen" } } })
    expect(await asking).toMatchObject({ structuredContent: { result: { text: "asked" } } })
    expect(asked).toBe(2)
    expect(await client.call("file_read", { path: "a.txt" })).toMatchObject({
      structuredContent: { ok: true, result: { text: "before" } },
    })
    const { entries, name } = await entriesOf(home)
    expect(name).toMatch(/^mcp [0-9a-f]{16} named work$/)
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
  },
  180_000,
)

const work = {
  id: 7,
  method: "tools/call",
  params: { name: "shell_exec", arguments: { command: "echo ran >> ran.txt; wc -l < ran.txt" } },
}

const contentOf = (answer: RawAnswer) => answer.messages().at(-1)?.result?.structuredContent

it("F20: what was answered while nobody listened is found after a kill -9, by its session and token only, and is not run again", async () => {
  const home = makeHome()
  const first = await serve(home)
  const session = await connectOlder(first)
  const answer = await session.post(work)
  await expect.poll(answer.lastId).not.toBe("")
  const last = [...answer.text().matchAll(/^id: (.*)$/gm)][0]?.[1] ?? ""
  answer.cut()
  await answer.ended
  const answers = async () =>
    (await entriesOf(home)).entries.filter((one) => one.kind === "envelope")
  await expect.poll(answers, { timeout: 60_000 }).toHaveLength(1)
  await kill(first)
  const second = await serve(home)
  const headers = { ...session.headers, "last-event-id": last }
  const other = await send({ ...second, token: tokens[1] ?? "" }, { headers })
  expect(other.status).toBe(404)
  const unknown = { ...headers, "mcp-session-id": "00000000-0000-4000-8000-000000000000" }
  expect((await send(second, { headers: unknown })).status).toBe(404)
  const back = await send(second, { headers })
  await back.ended
  expect(back.messages()).toHaveLength(1)
  expect(back.messages()[0]).toMatchObject({ id: 7 })
  expect(contentOf(back)).toMatchObject({ ok: true, result: { stdout: "1\n" } })
  const body = { jsonrpc: "2.0", ...work }
  const repeated = await send(second, { headers: session.headers, body })
  await repeated.ended
  expect(contentOf(repeated)).toEqual(contentOf(back))
  expect(await answers()).toHaveLength(1)
}, 180_000)

it("F20: a newer client that repeats the request that a kill -9 has ended is told so once", async () => {
  const home = makeHome()
  const first = await serve(home)
  const command = "test -e again && echo whole || { touch again; echo half; sleep 4000; }"
  const params = { name: "shell_exec", arguments: { command } }
  const request = newer("tools/call", params, { name: "newer" })
  const at = (served: Served) => ({ ...served, url: `${served.url}?session=work` })
  const cut = await send(at(first), request)
  await expect.poll(async () => (await entriesOf(home)).output, { timeout: 60_000 }).toBe("half\n")
  await kill(first)
  await cut.ended
  const second = await serve(home)
  const told = await send(at(second), request)
  await told.ended
  expect(contentOf(told)).toMatchObject({
    kind: "execution_error",
    message: expect.stringContaining("outcome is unknown"),
  })
  const again = await send(at(second), request)
  await again.ended
  expect(contentOf(again)).toMatchObject({ ok: true, result: { stdout: "whole\n" } })
}, 180_000)
