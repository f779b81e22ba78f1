import { mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { McpServerConfig } from "../../src/config/index.ts"
import { readServers } from "../../src/config/index.ts"
import type { Envelope, JsonSchema, Tool } from "../../src/contract/index.ts"
import { type Bridge, loadBridge, loadLogin } from "../../src/mcp/index.ts"
import { openToolkeep, type Session, type SourceDeps } from "../../src/session/index.ts"

interface Scenario {
  readonly url: string
  readonly scenario: string
  /** What the suite tells a client beside the address. */
  readonly context: {
    readonly client_id?: string
    readonly client_secret?: string
    readonly issuer?: string
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[]
  }
}

const prefix = "mcp:suite:"

/** As many as nobody would ask a person for. */
const mostLogins = 3

/** The client that the suite judges: the bridge, calling what the suite wants called, or every tool there is. */
export async function runScenario(given: Scenario): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
  const [server] = readServers({ mcpServers: { suite: { url: given.url, ...accessOf(given) } } })
  if (server?.kind !== "http") throw new Error("The suite's server is one over HTTP.")
  const { createBridge } = await loadBridge()
  let bridge: Bridge | undefined
  const open = (parts: SourceDeps) => {
    bridge = createBridge([server], parts)
    return bridge
  }
  const keep = await openToolkeep({ host: "memory", home, sources: [open] })
  let logins = 0
  const logIn = async () => {
    logins += 1
    const { loginToServer } = await loadLogin()
    const signal = AbortSignal.timeout(20_000)
    const person = { home, environment: process.env, port: 0, onAddress: agree, signal }
    await loginToServer(server, person)
  }
  try {
    const session = keep.session()
    await session.prepare()
    while (bridge?.list()[0]?.state.kind === "needs login" && logins < mostLogins) {
      await logIn()
      await session.prepare()
    }
    const said: unknown[] = [bridge?.list()]
    for (const { name, input } of callsOf(session, given)) {
      let envelope = await session.start(name, input).envelope
      while (isAboutLogin(envelope) && logins < mostLogins) {
        await logIn()
        envelope = await session.start(name, input).envelope
      }
      said.push(envelope)
    }
    return said.map((one) => `${JSON.stringify(one)}\n`).join("")
  } finally {
    await keep.close()
    await rm(home, { recursive: true, force: true })
  }
}

/** What a person would write into toolkeep.yaml for this server. */
function accessOf({ scenario, context }: Scenario): Omit<McpServerConfig, "url"> {
  if (!scenario.startsWith("auth/")) return {}
  const { client_id, client_secret, issuer } = context
  const client = {
    ...(client_id !== undefined && { client_id }),
    ...(client_secret !== undefined && { client_secret }),
    ...(issuer !== undefined && { issuer }),
  }
  if (scenario === "auth/basic-cimd") {
    return { oauth: { client_id: "https://conformance-test.local/client-metadata.json" } }
  }
  if (scenario.startsWith("auth/client-credentials")) {
    return { oauth: { ...client, grant: "client_credentials" } }
  }
  return client_id === undefined ? {} : { oauth: client }
}

/** The suite's authorization servers send a browser back at once. */
async function agree(address: URL): Promise<void> {
  const answer = await fetch(address, { redirect: "manual" })
  const back = answer.headers.get("location")
  if (back !== null) void fetch(back).catch(() => {})
}

function isAboutLogin(envelope: Envelope): boolean {
  return !envelope.ok && envelope.message.includes("toolkeep mcp login")
}

type Described = Pick<Tool, "name" | "inputSchema">

interface WantedCall {
  readonly name: string
  readonly input: object
}

function callsOf(session: Session, { scenario, context }: Scenario): WantedCall[] {
  const tools = session.tools({ all: true }).filter(({ name }) => name.startsWith(prefix))
  if (context.toolCalls) {
    return context.toolCalls.map((call) => ({
      name: prefix + call.name,
      input: withoutNulls(call.arguments),
    }))
  }
  if (scenario === "json-schema-2020-12-preservation") return echoes(tools)
  return tools.map(({ name, inputSchema }) => ({ name, input: sampleOf(inputSchema) }))
}

/** An argument that a tool's schema does not let be null is left out: Toolkeep refuses it otherwise. */
function withoutNulls(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}

/** This scenario wants a tool's schema back, as an argument of another tool. */
function echoes(tools: readonly Described[]): WantedCall[] {
  const schema = tools.find(({ name }) => name.endsWith("2020_12_tool"))?.inputSchema
  return [{ name: `${prefix}json_schema_echo`, input: { schema } }]
}

/** Something for each argument that has to be there. */
function sampleOf({ properties = {}, required = [] }: JsonSchema): object {
  return Object.fromEntries(required.map((name, index) => [name, sample(properties[name], index)]))
}

function sample(schema: JsonSchema | undefined, index: number): unknown {
  switch (schema?.type) {
    case "string":
      return `text ${index}`
    case "boolean":
      return true
    case "array":
      return []
    case "object":
      return {}
    case "null":
      return null
    default:
      return index + 1
  }
}

/** At a time: more would only make each of them late for the suite's own clocks. */
const mostAtOnce = 4

/** Where the suite's commands bring their scenarios; all run in this process, which has loaded the bridge. */
export async function serveScenarios(): Promise<AsyncDisposable & { readonly port: number }> {
  let running = 0
  const waiting: (() => void)[] = []
  async function inTurn(given: Scenario): Promise<string> {
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    return runScenario(given)
      .catch(String)
      .finally(() => {
        running -= 1
        waiting.shift()?.()
      })
  }
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on("error", () => {})
    socket.end(await inTurn(JSON.parse(await text(socket))))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
