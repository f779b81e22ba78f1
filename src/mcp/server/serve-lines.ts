import type { Readable, Writable } from "node:stream"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import type { Session } from "../../session/index.ts"
import { announceTools } from "./announce-tools.ts"
import { createMcpServer } from "./create-mcp-server.ts"
import { lineTransport } from "./line-transport.ts"
import { type ClientSettings, createMcpClient, settled } from "./mcp-client.ts"

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
  const connect = () => {
    const made = createMcpServer(client)
    announceTools(client, made)
    return made
  }
  const server = serveStdio(connect, { transport })
  // After the call above, which has its own way to hear of it.
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    gone.resolve()
  }
  signal.addEventListener("abort", () => void server.close(), { once: true })
  await gone.promise
  await settled(client)
}
