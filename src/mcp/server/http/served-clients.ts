import { limits } from "../../../contract/index.ts"
import type { CallEvent } from "../../../runtime/index.ts"
import type { Toolkeep } from "../../../session/index.ts"
import { type ClientSettings, createMcpClient, type McpClient, settled } from "../mcp-client.ts"
import { rateLimit } from "./rate-limit.ts"

/** One client of the HTTP server, found again by its key. */
export interface ServedClient {
  readonly key: string
  /** Who may use it: the name of the token that opened it. */
  readonly token: string
  /** What it calls itself. */
  readonly label: string
  readonly client: McpClient
  readonly hasRoom: () => boolean
  lastUsedMs: number
}

export interface ServedClients {
  /** The client of this key, opened on first use; null when there are too many. */
  open(key: string, who: { readonly token: string; readonly label: string }): ServedClient | null
  close(key: string): Promise<void>
  /** Ends what is under way after a while, and everything then. */
  closeAll(): Promise<void>
}

export interface ClientsOptions {
  readonly keep: Toolkeep
  readonly settings: ClientSettings
  readonly onCall?: ((event: CallEvent, label: string) => void) | undefined
  readonly onClose?: ((key: string) => Promise<void>) | undefined
}

export function servedClients({ keep, settings, onCall, onClose }: ClientsOptions): ServedClients {
  const clients = new Map<string, ServedClient>()

  function open(key: string, who: { readonly token: string; readonly label: string }) {
    const known = clients.get(key)
    if (known) return known
    if (clients.size >= limits.mcp.clients) return null
    const session = keep.session(`mcp ${key}`)
    if (onCall) session.listen((event) => onCall(event, who.label))
    const client = createMcpClient(session, settings)
    const hasRoom = rateLimit(limits.mcp.requestRate)
    const served: ServedClient = { ...who, key, client, hasRoom, lastUsedMs: performance.now() }
    clients.set(key, served)
    return served
  }

  async function close(key: string): Promise<void> {
    const served = clients.get(key)
    if (!served) return
    clients.delete(key)
    const closed = onClose?.(key)
    if (!settings.keepCalls) endCalls(served.client)
    await settled(served.client)
    await closed
    await served.client.session.close()
  }

  const sweep = setInterval(() => {
    const before = performance.now() - limits.mcp.clientIdleMs
    for (const { key, lastUsedMs, client } of clients.values()) {
      if (lastUsedMs < before && client.calls.size === 0) close(key).catch(() => {})
    }
  }, limits.mcp.clientSweepMs)
  sweep.unref()

  async function closeAll(): Promise<void> {
    clearInterval(sweep)
    const all = [...clients.values()]
    const patience = setTimeout(() => {
      for (const { client } of all) endCalls(client)
    }, limits.mcp.stopMs)
    await Promise.all(all.map(({ client }) => settled(client)))
    clearTimeout(patience)
    await Promise.all(all.map(({ key }) => close(key)))
  }

  return { open, close, closeAll }
}

function endCalls(client: McpClient): void {
  const reason = new DOMException("The client is gone.", "AbortError")
  for (const call of client.calls.values()) call.end(reason)
}
