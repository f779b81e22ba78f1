import { type Clock, createId, systemClock, withTimeout } from "../../../../kit/index.ts"
import { rateLimit } from "../../../../node/index.ts"
import type { CallEvent } from "../../../../runtime/index.ts"
import type { Toolkeep } from "../../../../session/index.ts"
import { serverStops } from "../../../server-stops.ts"
import {
  type ClientOptions,
  createMcpClient,
  endCalls,
  type McpClient,
  mcpLimits,
  settled,
} from "../../calls/mcp-client.ts"
import { fairPlaces } from "../access/quotas.ts"
import { openAnswers } from "./answer-client.ts"

/** One client of the HTTP server, found again by its key. */
export interface ServedClient {
  readonly key: string
  /** The name of the token that opened it; no other may use it. */
  readonly token: string
  /** What it calls itself. */
  readonly label: string
  /** Whether its address names its session, so that it comes back to the same one. */
  readonly isNamed: boolean
  readonly client: McpClient
  readonly answers: ReturnType<typeof openAnswers>
  readonly hasRoom: () => boolean
  /** Called with each request: an idle client is closed. */
  readonly use: () => void
  /** Calls back when it is closed; the returned function undoes that. */
  readonly onClose: (callback: () => Promise<void>) => () => void
}

interface Entry extends ServedClient {
  readonly isIdle: () => boolean
  readonly closers: ReadonlySet<() => Promise<void>>
}

type Owner = Pick<ServedClient, "token" | "label" | "isNamed">

export interface ServedClientsOptions extends ClientOptions {
  /** Hears the events of all calls, with what the client calls itself. */
  readonly onCall?: ((event: CallEvent, client: string) => void) | undefined
  /** Measures how long clients are idle. */
  readonly clock?: Clock | undefined
}

/** A client is not idle while the machine sleeps or its clock is set. */
const steadyClock: Clock = { ...systemClock, now: () => performance.now() }

function sessionName(key: string): string {
  return `mcp ${key}`
}

export function servedClients(
  toolkeep: Toolkeep,
  tokens: readonly string[],
  options: ServedClientsOptions,
) {
  const { onCall, clock = steadyClock } = options
  const limits = mcpLimits(options.limits)
  const places = fairPlaces(limits.clients, tokens)
  const clients = new Map<string, Entry>()
  const closing = new Map<string, Promise<void>>()

  function make(key: string, owner: Owner): Entry {
    // The first token's memory is that of the person who runs the server; each other token has its own.
    const memory = owner.token === tokens[0] ? undefined : owner.token
    const { persistAnswers, mountRoots } = options
    const isFoundAgain = owner.isNamed || persistAnswers === true
    // Of two servers with one home and one token, each has its own.
    const name = isFoundAgain ? sessionName(key) : `${sessionName(key)} ${createId("client")}`
    const session = toolkeep.session(name, {
      memory,
      // A sandbox that lasts would keep the roots of its first client.
      ...(owner.isNamed && mountRoots === undefined && { durable: true }),
      ...(isFoundAgain && { record: true }),
    })
    if (onCall) session.listen((event) => "callId" in event && onCall(event, owner.label))
    const client = createMcpClient(session, options)
    let lastUsedMs = clock.now()
    const use = () => {
      lastUsedMs = clock.now()
    }
    // A client is in use until its answer has ended.
    const answers = openAnswers(limits, use)
    const isIdle = () =>
      client.calls.size === 0 &&
      !answers.areThere() &&
      clock.now() - lastUsedMs > limits.clientIdleMs
    const closers = new Set<() => Promise<void>>()
    const onClose = (callback: () => Promise<void>) => {
      closers.add(callback)
      return () => closers.delete(callback)
    }
    const hasRoom = rateLimit(limits.requestRate)
    return { ...owner, key, client, answers, use, isIdle, hasRoom, closers, onClose }
  }

  /** The client of this key, opened on first use; null when its token has as many as it may. */
  async function open(key: string, owner: Owner): Promise<ServedClient | null> {
    // A session of the same name may still be closing.
    while (closing.has(key)) await closing.get(key)
    const known = clients.get(key)
    if (known) return opened(known)
    if (!places.take(owner.token)) return null
    try {
      clients.set(key, make(key, owner))
    } catch (error) {
      places.free(owner.token)
      throw error
    }
    return open(key, owner)
  }

  /** With its record: another process may have the session. */
  async function opened(served: Entry): Promise<ServedClient> {
    try {
      await served.client.session.record?.()
      return served
    } catch (error) {
      await close(served.key)
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

  async function end({ closers, client }: Entry): Promise<void> {
    try {
      const closed = Promise.all([...closers].map((close) => close()))
      if (!options.persistAnswers)
        endCalls(client, "The client disconnected before the call had ended.")
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

  /** Waits a while for running calls, ends them, and closes every client. */
  async function closeAll(): Promise<void> {
    stopSweeping()
    const all = [...clients.values()]
    const patience = setTimeout(() => {
      for (const { client } of all) endCalls(client, serverStops)
    }, limits.stopMs)
    await Promise.all(all.map(({ client }) => settled(client)))
    clearTimeout(patience)
    const sent = Promise.all(all.map(({ answers }) => answers.sent()))
    await withTimeout(sent, limits.lastAnswerMs, { otherwise: () => {} })
    await Promise.all(all.map(({ key }) => close(key)))
    await Promise.all(closing.values())
  }

  const recorded = (key: string) => toolkeep.recorded(sessionName(key))

  return { open, recorded, close, closeAll }
}
