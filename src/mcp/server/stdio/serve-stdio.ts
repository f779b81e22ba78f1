import type { Readable, Writable } from "node:stream"
import type { JSONRPCMessage, Server, Transport } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import type { Session } from "../../../session/index.ts"
import { announceTools } from "../calls/announce-tools.ts"
import { createMcpServer } from "../calls/create-mcp-server.ts"
import {
  type ClientSettings,
  createMcpClient,
  endCalls,
  type McpClient,
  serverStops,
  settled,
} from "../calls/mcp-client.ts"
import { takeCallsPlainly } from "./legacy-tool-calls.ts"
import { lineTransport } from "./line-transport.ts"

interface LineServing extends ClientSettings {
  readonly session: Session
  readonly input: Readable
  readonly output: Writable
  /** Aborts when the server should stop. */
  readonly signal: AbortSignal
}

/** Serves one client over a pair of streams until it is gone; resolves when its calls have ended. */
export async function serveLines(serving: LineServing): Promise<void> {
  const { session, input, output, signal } = serving
  const client = createMcpClient(session, serving)
  const transport = lineTransport({ input, output })
  const gone = Promise.withResolvers<void>()
  const create = () => {
    const made = createMcpServer(client)
    announceTools(client, made)
    return made
  }
  let close = transport.close
  transport.onclose = gone.resolve
  transport.onmessage = (opening) => {
    delete transport.onmessage
    close = connect(transport, { create, client }, opening)
    // After the call above, which has its own way to hear of it.
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      gone.resolve()
    }
    pass(transport, opening)
  }
  let patience: NodeJS.Timeout | undefined
  const stop = () => {
    // Calls that are kept go on, but not for as long as they like.
    patience = setTimeout(() => endCalls(client, serverStops), client.limits.stopMs)
    void close()
  }
  if (signal.aborted) stop()
  else signal.addEventListener("abort", stop, { once: true })
  await transport.start()
  await gone.promise
  await settled(client)
  clearTimeout(patience)
}

/**
 * Connects a server of the client's generation. One of the older opens with `initialize` and talks to its
 * server directly: the layer that tells generations apart checks each message once more, in both directions.
 */
function connect(
  transport: Transport,
  { create, client }: { readonly create: () => Server; readonly client: McpClient },
  opening: JSONRPCMessage,
): () => Promise<void> {
  const isInitialize = "method" in opening && opening.method === "initialize"
  if (!isInitialize || opening.params?._meta !== undefined) {
    const { close } = serveStdio(create, { transport })
    return close
  }
  const server = create()
  // Roots are asked for in the newer generation's way, which the SDK translates.
  if (client.settings.mountRoots === undefined) takeCallsPlainly(server, client)
  void server.connect(transport)
  return () => server.close()
}

function pass({ onmessage }: Transport, message: JSONRPCMessage): void {
  onmessage?.(message)
}
