import type { CallToolResult, Client } from "@modelcontextprotocol/client"
import type { ServerSpec } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import { type Session, version } from "../../../session/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { type Channel, type HttpAuth, httpTransport } from "./http-transport.ts"
import { pipeTransport } from "./pipe-transport.ts"
import { readToolList } from "./read-tool-list.ts"
import { sandboxedServer } from "./sandboxed-server.ts"
import { spawnServer } from "./spawn-server.ts"

/** An initialized connection to a server. */
export type ServerConnection = Awaited<ReturnType<typeof initialize>>

export interface BridgedCall {
  readonly tool: string
  /** As the server listed it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly onProgress: (message: string) => void
}

export interface ConnectionOptions {
  readonly session: Pick<Session, "sandboxes">
  readonly environment: NodeJS.ProcessEnv
  /** For servers over HTTP. */
  readonly auth?: HttpAuth | undefined
  readonly onListChanged: () => void
  readonly onEnd: () => void
}

/** No timeout of the client's: calls and starts have their own. */
const never = 2 ** 31 - 1

/** Starts a server, or reaches it, in whichever generation of the protocol it speaks. */
export async function connectServer(
  server: ServerSpec,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const channel = await openChannel(server, options)
  try {
    return await initialize(channel, options, { mode: "auto", signal })
  } catch (error) {
    signal.throwIfAborted()
    // Some legacy servers end when they are asked which protocol they speak.
    if (server.kind === "http" || channel.whyEnded() === null) throw reasonOf(error, channel)
    const again = await openChannel(server, options)
    return initialize(again, options, { mode: "legacy", signal }).catch((second) => {
      throw reasonOf(second, again)
    })
  }
}

async function openChannel(
  server: ServerSpec,
  { environment, session, auth }: ConnectionOptions,
): Promise<Channel> {
  if (server.kind === "http") return httpTransport(server, environment, auth)
  return pipeTransport(
    server.kind === "stdio"
      ? spawnServer(server, environment)
      : sandboxedServer(server, session, environment),
  )
}

/** Negotiates the generation of the protocol and initializes the connection. */
export async function initialize(
  { transport, whyEnded }: Channel,
  { onListChanged, onEnd }: Pick<ConnectionOptions, "onListChanged" | "onEnd">,
  { mode, signal }: { readonly mode: "auto" | "legacy"; readonly signal: AbortSignal },
) {
  const { Client } = await import("@modelcontextprotocol/client")
  const client = new Client(
    { name: "toolkeep", version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: bridgeLimits.probeMs } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChanged } },
    },
  )
  const giveUp = () => void transport.close()
  signal.addEventListener("abort", giveUp, { once: true })
  try {
    await client.connect(transport, { signal, timeout: never })
  } catch (error) {
    await transport.close().catch(() => {})
    throw error
  } finally {
    signal.removeEventListener("abort", giveUp)
  }
  client.onclose = onEnd
  return {
    list: (until: AbortSignal) => readToolList(client, until),
    call: (request: BridgedCall) => callTool(client, request),
    whyEnded,
    close: () => client.close(),
  }
}

function callTool(client: Client, request: BridgedCall): Promise<CallToolResult> {
  const { tool, input, inputSchema, signal, onProgress } = request
  return client.callTool(
    { name: tool, arguments: { ...input } },
    {
      signal,
      timeout: never,
      // Without the schema of its results, which costs much to check (bench row mcp-bridged-call).
      toolDefinition: { name: tool, inputSchema: inputSchema as { type: "object" } },
      onprogress: ({ message }) => {
        if (message) onProgress(message)
      },
    },
  )
}

/** The server's last error output says more than that the connection was closed. */
function reasonOf(error: unknown, { whyEnded }: Channel): unknown {
  const why = whyEnded()
  if (why === null || error instanceof ToolFailure) return error
  return new ToolFailure({ kind: "unavailable", message: why }, { cause: error })
}
