import type { Socket } from "node:net"
import { limits } from "../../contract/index.ts"
import { type Clock, errorText, onAbort, withTimeout } from "../../kit/index.ts"
import { networkLimits } from "../limits.ts"
import {
  type Decision,
  type DenialCause,
  decideTarget,
  type NetworkDecision,
} from "./decide-target.ts"
import type { Dialer } from "./dialer.ts"
import { type DomainRule, judgeTarget } from "./domain-rule.ts"
import type { Target } from "./target.ts"

export interface OutboundOptions {
  readonly rules: readonly DomainRule[]
  readonly dialer: Dialer
  readonly clock: Clock
  /** When it throws, the connection is denied. */
  readonly onDecision: (decision: NetworkDecision) => void
  /** Targets that may be reached whatever the rules say, and wherever they lead. */
  readonly trusts?: (target: Target) => boolean
  /** Called for every target that could not be reached. */
  readonly onRefusal?: (target: Target, connection: FailedConnection) => void
}

/** A connection to a target, open for as long as the rules allow it. */
export type OutboundConnection =
  | { readonly kind: "open"; readonly socket: Socket }
  | { readonly kind: "denied"; readonly rule: string; readonly because: DenialCause }
  | { readonly kind: "failed"; readonly reason: string }

export type FailedConnection = Exclude<OutboundConnection, { kind: "open" }>

export type OutboundConnections = ReturnType<typeof createOutboundConnections>

/** All outbound connections of one sandbox. */
export function createOutboundConnections(options: OutboundOptions) {
  const { dialer, clock } = options
  let { rules } = options
  const open = new Map<AbortController, Target>()

  function report({ host, port }: Pick<Target, "host" | "port">, decision: Decision): Decision {
    const { kind, rule } = decision
    try {
      options.onDecision({ target: host, port, allowed: kind === "allow", rule })
      return decision
    } catch {
      return { kind: "deny", rule: "the decision could not be recorded", because: "rules" }
    }
  }

  async function decide(target: Target, ended: AbortSignal): Promise<Decision> {
    const decided = decideTarget(target, { ...options, rules })
    const decision = await withTimeout<Decision, Decision>(decided, networkLimits.lookupMs, {
      otherwise: () => ({ kind: "deny", rule: "the DNS lookup took too long", because: "lookup" }),
      clock,
    })
    // The rules may have changed while its addresses were looked up.
    if (!ended.aborted) return decision
    return { kind: "deny", rule: "it is not allowed any more", because: "rules" }
  }

  function closed(target: Target, connection: FailedConnection): FailedConnection {
    options.onRefusal?.(target, connection)
    return connection
  }

  return {
    /** Decides, reports and connects. The signal ends it, also later. */
    async open(target: Target, signal: AbortSignal): Promise<OutboundConnection> {
      // One connection of a client's may ask for many, without waiting for answers.
      if (open.size >= networkLimits.connections) {
        return closed(target, { kind: "failed", reason: "too many connections are open" })
      }
      const ended = new AbortController()
      const stopListening = onAbort(signal, () => ended.abort())
      open.set(ended, target)
      const forget = () => {
        open.delete(ended)
        stopListening()
      }
      try {
        const decision = report(target, await decide(target, ended.signal))
        if (decision.kind === "deny") {
          forget()
          return closed(target, { ...decision, kind: "denied" })
        }
        const request = { ...decision, port: target.port, signal: ended.signal }
        const socket = await openConnection(request, { dialer, clock })
        socket.once("close", forget)
        onAbort(ended.signal, () => socket.destroy())
        return { kind: "open", socket }
      } catch (error) {
        forget()
        return closed(target, { kind: "failed", reason: errorText(error) })
      }
    },
    /** Refuses what can't even be a target, and reports it. */
    refuse(target: string, rule: string): Extract<OutboundConnection, { kind: "denied" }> {
      const because = "rules"
      const decision = report({ host: shown(target), port: 0 }, { kind: "deny", rule, because })
      return { kind: "denied", rule: decision.rule, because }
    },
    /** Ends what the new rules do not allow. */
    setRules(next: readonly DomainRule[]): void {
      rules = next
      for (const [ended, target] of open) {
        if (options.trusts?.(target)) continue
        if (judgeTarget(rules, target).kind === "deny") ended.abort()
      }
    },
    endAll(): void {
      for (const ended of open.keys()) ended.abort()
    },
  }
}

/** What comes from inside goes into records: bounded, and without anything a terminal would obey. */
function shown(text: string): string {
  return text.replace(/[^\u0021-\u007e]/g, "?").slice(0, limits.quotedCharacters)
}

interface ConnectionRequest {
  readonly addresses: readonly string[]
  readonly port: number
  readonly signal: AbortSignal
}

/** Connects to the first of the addresses that answers. */
async function openConnection(
  { addresses, port, signal }: ConnectionRequest,
  { dialer, clock }: { readonly dialer: Dialer; readonly clock: Clock },
): Promise<Socket> {
  let problem: unknown = new Error("There is no address.")
  for (const address of addresses.slice(0, networkLimits.addressesTried)) {
    signal.throwIfAborted()
    try {
      return await connected(dialer.connect(address, port), signal, clock)
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

async function connected(socket: Socket, signal: AbortSignal, clock: Clock): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const abort = () => socket.destroy(new Error("It is not allowed any more."))
  const cancel = clock.after(networkLimits.connectMs, () => {
    socket.destroy(new Error("It does not answer."))
  })
  const stopListening = onAbort(signal, abort)
  socket.once("connect", () => resolve(socket)).once("error", reject)
  socket.once("close", () => reject(new Error("It closed the connection.")))
  return promise.finally(() => {
    cancel()
    stopListening()
    // The owner of the socket learns of its end by "close".
    socket.on("error", () => {})
  })
}
