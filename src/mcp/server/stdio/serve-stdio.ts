import type { Readable, Writable } from "node:stream"
import {
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server"
import { serveStdio as serveBothGenerations } from "@modelcontextprotocol/server/stdio"
import { isObject } from "../../../contract/index.ts"
import { onAbort } from "../../../kit/index.ts"
import type { Session } from "../../../session/index.ts"
import { serverStops } from "../../server-stops.ts"
import { callTool, type ToolRequest } from "../calls/call-tool.ts"
import { announceTools, createMcpServer } from "../calls/create-mcp-server.ts"
import {
  type ClientOptions,
  createMcpClient,
  endCalls,
  type McpClient,
  settled,
} from "../calls/mcp-client.ts"
import { lineTransport } from "./line-transport.ts"

export interface StdioOptions extends ClientOptions {
  /** Where the client's messages come from; standard input when absent. */
  readonly input?: Readable | undefined
  /** Where answers go; standard output when absent. */
  readonly output?: Writable | undefined
  /** Stops the server. */
  readonly signal?: AbortSignal | undefined
}

export async function serveStdio(session: Session, options: StdioOptions): Promise<void> {
  const { input = process.stdin, output = process.stdout, signal } = options
  const client = createMcpClient(session, options)
  const transport = lineTransport({ input, output })
  const closed = Promise.withResolvers<void>()
  let close = transport.close
  transport.onclose = closed.resolve
  transport.onmessage = (opening) => {
    delete transport.onmessage
    close = connect(transport, client, opening)
    // After `connect`, whose server listens for the end as well.
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      closed.resolve()
    }
    pass(transport, opening)
  }
  let patience: NodeJS.Timeout | undefined
  const stopListening = onAbort(signal, () => {
    // Calls whose answers are stored continue, but not for ever.
    patience = setTimeout(() => endCalls(client, serverStops), client.limits.stopMs)
    void close()
  })
  await transport.start()
  await closed.promise
  stopListening()
  await settled(client)
  clearTimeout(patience)
}

/**
 * Connects a server of the client's generation. A legacy client opens with `initialize` and talks to its server
 * directly: the SDK's layer that tells generations apart checks each message again, in both directions.
 */
function connect(
  transport: Transport,
  client: McpClient,
  opening: JSONRPCMessage,
): () => Promise<void> {
  const create = () => {
    const server = createMcpServer(client)
    announceTools(client, server)
    return server
  }
  const isInitialize = "method" in opening && opening.method === "initialize"
  if (!isInitialize || opening.params?._meta !== undefined) {
    const { close } = serveBothGenerations(create, { transport })
    return close
  }
  const server = create()
  // Roots are asked for in the modern way, which the SDK translates.
  if (client.options.mountRoots === undefined) handleLegacyCalls(server, client)
  void server.connect(transport)
  return () => server.close()
}

function pass({ onmessage }: Transport, message: JSONRPCMessage): void {
  onmessage?.(message)
}

/**
 * Handles `tools/call` of legacy clients without the SDK's schemas: it checks each call twice and each answer
 * once, which takes as long as a small tool (bench row mcp-stdio-call). Toolkeep checks the arguments itself.
 */
function handleLegacyCalls(server: Server, client: McpClient): void {
  server.removeRequestHandler("tools/call")
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method !== "tools/call") {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found")
    }
    const declared = server.getClientCapabilities()
    return callTool(client, { params: requireCall(params), context, declared })
  }
}

function requireCall(params: unknown): ToolRequest["params"] {
  if (isObject(params) && typeof params.name === "string") {
    const { name, arguments: given } = params
    if (given === undefined || isObject(given)) return { name, arguments: given }
  }
  const message =
    "tools/call needs params with the tool's name as a string and, optionally, its arguments as an object."
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
