import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client"
import type { ServerSpec } from "../../../config/index.ts"
import { limits, ToolFailure } from "../../../contract/index.ts"
import type { Secrets } from "../../../kit/index.ts"
import { type Session, version } from "../../../session/index.ts"
import type { Logins } from "../oauth/logins.ts"
import { httpTransport } from "./http-transport.ts"
import { pipeTransport } from "./pipe-transport.ts"
import { type ListedTools, readToolList } from "./read-tool-list.ts"

/** A server that has introduced itself. */
export interface ServerConnection {
  list(signal: AbortSignal): Promise<ListedTools>
  call(request: BridgedCall): Promise<CallToolResult>
  /** Why it ended by itself; null while it stands. */
  whyEnded(): string | null
  close(): Promise<void>
}

export interface BridgedCall {
  readonly tool: string
  /** As the server listed it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly onProgress: (message: string) => void
}

export interface ConnectionParts {
  readonly session: Session
  readonly logins: Logins
  readonly secrets: Secrets
  readonly environment: NodeJS.ProcessEnv
  readonly onListChanged: () => void
  readonly onEnd: () => void
}

/** The client has no deadline of its own: calls and starts have theirs. */
const never = 2 ** 31 - 1

interface Channel {
  readonly transport: Transport
  readonly whyEnded: () => string | null
}

/** Starts a server, or reaches it, in whichever generation of the protocol it speaks. */
export async function connectServer(
  server: ServerSpec,
  parts: ConnectionParts,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const channel = await openChannel(server, parts)
  try {
    return await introduce(channel, parts, { mode: "auto", signal })
  } catch (error) {
    signal.throwIfAborted()
    // Some older servers end when they are asked which protocol they speak.
    if (server.kind === "http" || channel.whyEnded() === null) throw reasonOf(error, channel)
    const again = await openChannel(server, parts)
    return introduce(again, parts, { mode: "legacy", signal }).catch((second) => {
      throw reasonOf(second, again)
    })
  }
}

async function openChannel(server: ServerSpec, parts: ConnectionParts): Promise<Channel> {
  const { environment, session, logins, secrets } = parts
  switch (server.kind) {
    case "http": {
      const { sessionAccess } = await import("../oauth/session-auth.ts")
      return httpTransport(
        server,
        environment,
        sessionAccess(server, { logins, environment, secrets }),
      )
    }
    case "stdio": {
      const { spawnServer } = await import("./spawn-server.ts")
      return channelOf(pipeTransport(spawnServer(server, environment)))
    }
    case "sandboxed": {
      const { sandboxedServer } = await import("./sandboxed-server.ts")
      return channelOf(pipeTransport(sandboxedServer(server, session, environment)))
    }
    default:
      return server satisfies never
  }
}

function channelOf(transport: ReturnType<typeof pipeTransport>): Channel {
  return { transport, whyEnded: transport.whyEnded }
}

interface Introduction {
  readonly mode: "auto" | "legacy"
  readonly signal: AbortSignal
}

export async function introduce(
  { transport, whyEnded }: Channel,
  { onListChanged, onEnd }: Pick<ConnectionParts, "onListChanged" | "onEnd">,
  { mode, signal }: Introduction,
): Promise<ServerConnection> {
  const { Client } = await import("@modelcontextprotocol/client")
  const client = new Client(
    { name: "toolkeep", version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: limits.bridge.probeMs } },
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
    list: (until) => readToolList(client, until),
    call: (request) => callTool(client, request),
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
      // Without the schema of its results: that is the server's own promise, and costly to hold it to.
      toolDefinition: { name: tool, inputSchema: inputSchema as { type: "object" } },
      onprogress: ({ message }) => {
        if (message) onProgress(message)
      },
    },
  )
}

/** The server's own last words say more than that a connection was closed. */
function reasonOf(error: unknown, { whyEnded }: Channel): unknown {
  const why = whyEnded()
  if (why === null || error instanceof ToolFailure) return error
  return new ToolFailure({ kind: "unavailable", message: why }, { cause: error })
}
