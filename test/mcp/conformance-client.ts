import { mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { JsonSchema, Tool } from "../../src/index.ts"
import { bridgeServers } from "../../src/mcp/index.ts"
import { openToolkeep, type Session } from "../../src/session/index.ts"

interface Scenario {
  readonly url: string
  readonly scenario: string
  /** What the suite tells a client beside the address. */
  readonly context: {
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[]
  }
}

const prefix = "mcp:suite:"

/** The client that the suite judges: the bridge, calling what the suite wants called, or every tool there is. */
export async function runScenario(given: Scenario): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
  const mcpServers = { suite: { url: given.url } }
  const keep = await openToolkeep({
    host: "memory",
    home,
    sources: [bridgeServers({ mcpServers })],
  })
  try {
    const session = keep.session()
    const said: unknown[] = []
    for (const { name, input } of await callsOf(session, given)) {
      said.push(await session.call(name, input))
    }
    return said.map((envelope) => `${JSON.stringify(envelope)}\n`).join("")
  } finally {
    await keep.close()
    await rm(home, { recursive: true, force: true })
  }
}

type Described = Pick<Tool, "name" | "inputSchema">

interface WantedCall {
  readonly name: string
  readonly input: object
}

async function callsOf(session: Session, { scenario, context }: Scenario): Promise<WantedCall[]> {
  await session.prepare()
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

/** Where the suite's commands bring their scenarios; all run in this process, which has loaded the bridge. */
export async function serveScenarios(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on("error", () => {})
    socket.end(await runScenario(JSON.parse(await text(socket))).catch(String))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
