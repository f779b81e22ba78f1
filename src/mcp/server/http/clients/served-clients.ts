import { type Clock, systemClock } from "../../../../kit/index.ts"
import type { CallEvent } from "../../../../runtime/index.ts"
import type { Toolkeep } from "../../../../session/index.ts"
import {
  type ClientSettings,
  createMcpClient,
  endCalls,
  type McpClient,
  serverStops,
  settled,
} from "../../calls/mcp-client.ts"
import { mcpLimits } from "../../calls/mcp-limits.ts"
import type { AccessTokens } from "../access/access-tokens.ts"
import { fairPlaces } from "../access/fair-places.ts"
import { rateLimit } from "../access/rate-limit.ts"
import { type OpenAnswers, openAnswers } from "./open-answers.ts"

/** One client of the HTTP server, found again by its key. */
export interface ServedClient {
  readonly key: string
  /** Who may use it: the name of the token that opened it. */
  readonly token: string
  /** What it calls itself. */
  readonly label: string
  readonly client: McpClient
  readonly answers: OpenAnswers
  readonly hasRoom: () => boolean
  /** Said with each request: who does nothing for long is forgotten. */
  readonly use: () => void
}

interface Kept extends ServedClient {
  readonly isIdle: () => boolean
}

type Who = Pick<ServedClient, "token" | "label">

export interface ServedClients {
  /** The client of this key, opened on first use; null when its token has as many as it may. */
  open(key: string, who: Who): Promise<ServedClient | null>
  close(key: string): Promise<void>
  /** Ends what is under way after a while, and everything then. */
  closeAll(): Promise<void>
}

export interface ClientsOptions {
  readonly keep: Toolkeep
  readonly settings: ClientSettings
  readonly tokens: Pick<AccessTokens, "names">
  /** By which clients are idle. */
  readonly clock?: Clock | undefined
  readonly onCall?: ((event: CallEvent, label: string) => void) | undefined
  readonly onClose?: ((key: string) => Promise<void>) | undefined
}

/** A machine that slept, or whose clock was set, has not been idle. */
const steadyClock: Clock = { ...systemClock, now: () => performance.now() }

export function servedClients(options: ClientsOptions): ServedClients {
  const { keep, settings, tokens, onCall, onClose, clock = steadyClock } = options
  const limits = mcpLimits(settings.limits)
  const places = fairPlaces(limits.clients, tokens.names)
  const clients = new Map<string, Kept>()
  const closing = new Map<string, Promise<void>>()

  function make(key: string, who: Who): Kept {
    // Each token has a memory of its own; the first token's is the one of who runs the server.
    const memory = who.token === tokens.names[0] ? undefined : who.token
    const session = keep.session(`mcp ${key}`, { memory })
    if (onCall) session.listen((event) => onCall(event, who.label))
    const client = createMcpClient(session, settings)
    let lastUsedMs = clock.now()
    const use = () => {
      lastUsedMs = clock.now()
    }
    // A long call has used it to its end.
    const answers = openAnswers(limits, use)
    const isIdle = () =>
      client.calls.size === 0 &&
      !answers.areThere() &&
      clock.now() - lastUsedMs > limits.clientIdleMs
    return { ...who, key, client, answers, use, isIdle, hasRoom: rateLimit(limits.requestRate) }
  }

  async function open(key: string, who: Who): Promise<ServedClient | null> {
    // Its session has the same name, and is only now being destroyed.
    while (closing.has(key)) await closing.get(key)
    const known = clients.get(key)
    if (known) return known
    if (!places.take(who.token)) return null
    try {
      const made = make(key, who)
      clients.set(key, made)
      return made
    } catch (error) {
      places.free(who.token)
      throw error
    }
  }

  function close(key: string): Promise<void> {
    const served = clients.get(key)
    if (!served) return closing.get(key) ?? Promise.resolve()
    clients.delete(key)
    const closed = end(served).finally(() => {
      closing.delete(key)
      places.free(served.token)
    })
    closing.set(key, closed)
    return closed
  }

  async function end({ key, client }: ServedClient): Promise<void> {
    try {
      const closed = onClose?.(key)
      if (!settings.keepCalls) endCalls(client, "The client went away before the call was done.")
      await settled(client)
      await closed
    } finally {
      await client.session.close()
    }
  }

  let stopSweeping = () => {}
  function sweepLater(): void {
    const sweep = () => {
      for (const served of clients.values()) {
        if (served.isIdle()) close(served.key).catch(() => {})
      }
      sweepLater()
    }
    stopSweeping = clock.after(limits.clientSweepMs, sweep, "idle")
  }
  sweepLater()

  async function closeAll(): Promise<void> {
    stopSweeping()
    const all = [...clients.values()]
    const patience = setTimeout(() => {
      for (const { client } of all) endCalls(client, serverStops)
    }, limits.stopMs)
    await Promise.all(all.map(({ client }) => settled(client)))
    clearTimeout(patience)
    await within(limits.lastAnswerMs, Promise.all(all.map(({ answers }) => answers.sent())))
    await Promise.all(all.map(({ key }) => close(key)))
    await Promise.all(closing.values())
  }

  return { open, close, closeAll }
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, milliseconds)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
