import { ToolFailure } from "../../contract/index.ts"
import { systemClock } from "../../kit/index.ts"
import type { ProxyCredentials } from "./create-network-proxy.ts"
import type { Decision, NetworkDecision } from "./decide-target.ts"
import type { Dialer } from "./dialer.ts"
import type { DomainRule } from "./domain-rule.ts"
import type { FailedConnection, OutboundConnection } from "./outbound-connections.ts"
import type { Target } from "./target.ts"

/** The section `network` of toolkeep.yaml. */
export interface EgressSettings {
  readonly reach?: "none" | "allow-list" | "full"
  readonly allow?: readonly string[]
  readonly private?: readonly string[]
}

/** Decides what tools outside sandboxes may reach: by default, every public address. */
export interface EgressGuard {
  /** Whether a host may be reached (an IPv6 address with or without its brackets), and at which checked addresses. Connects to nothing. */
  decide(host: string, port: number): Promise<Decision>
  /** Decides and connects to a checked address. The signal ends it, also later. */
  open(host: string, port: number, signal: AbortSignal): Promise<OutboundConnection>
  /**
   * An HTTP proxy on a loopback port that forwards what may be reached, for a program that can't be
   * trusted to ask. Such a program must send everything through it: Chromium sends loopback addresses
   * past its proxy unless "<-loopback>" is in its bypass list.
   */
  openProxy(options?: EgressProxyOptions): Promise<EgressProxy>
}

export interface EgressProxyOptions {
  readonly onDecision?: (decision: NetworkDecision) => void
  /** Targets that may be reached whatever the settings say, and wherever they lead. */
  readonly trusts?: (target: Target) => boolean
  /** Called for every target that could not be reached. */
  readonly onRefusal?: (target: Target, connection: FailedConnection) => void
  /** A loopback port is open to every user of the machine; credentials restrict it. */
  readonly credentials?: ProxyCredentials
}

export interface EgressProxy {
  /** Of 127.0.0.1. */
  readonly port: number
  /** Ends every connection. */
  close(): Promise<void>
}

/** Loads its dependencies on first use. Tests pass a `dialer` in place of the network. */
export function createEgressGuard(settings: EgressSettings = {}, dialer?: Dialer): EgressGuard {
  let loaded: ReturnType<typeof loadDeps> | undefined
  const load = () => {
    loaded ??= loadDeps(settings, dialer)
    return loaded
  }
  return {
    async decide(host, port) {
      const { rules, dialer, decideTarget, targetAt } = await load()
      const target = targetAt(host, port)
      if (target === null) return { kind: "deny", rule: notTarget, because: "rules" }
      return decideTarget(target, { rules, dialer })
    },
    async open(host, port, signal) {
      const { outbound, targetAt } = await load()
      const target = targetAt(host, port)
      return target ? outbound.open(target, signal) : outbound.refuse(host, notTarget)
    },
    async openProxy(options = {}) {
      const [{ rules, dialer }, { createNetworkProxy }] = await Promise.all([
        load(),
        import("./create-network-proxy.ts"),
      ])
      const deps = { rules, dialer, clock: systemClock, onDecision: () => {}, ...options }
      const proxy = createNetworkProxy(deps)
      const port = await proxy.listen({ host: "127.0.0.1", port: 0 })
      return { port, close: () => proxy.close() }
    },
  }
}

const notTarget = "it is not a host with a port"

async function loadDeps(settings: EgressSettings, given?: Dialer) {
  const [
    { isIPv6 },
    { systemDialer },
    { createOutboundConnections },
    { decideTarget },
    { canonicalHost },
  ] = await Promise.all([
    import("node:net"),
    import("./dialer.ts"),
    import("./outbound-connections.ts"),
    import("./decide-target.ts"),
    import("./target.ts"),
  ])
  const dialer = given ?? systemDialer
  const rules = await rulesOf(settings)
  const outbound = createOutboundConnections({
    rules,
    dialer,
    clock: systemClock,
    onDecision: () => {},
  })
  const targetAt = (host: string, port: number): Target | null => {
    const found = canonicalHost(isIPv6(host) ? `[${host}]` : host)
    return found && port >= 1 && port <= 65_535 ? { ...found, port } : null
  }
  return { rules, dialer, outbound, decideTarget, targetAt }
}

async function rulesOf(settings: EgressSettings): Promise<readonly DomainRule[]> {
  const { everythingPublic, nothingElse, parseDomainRules, parsePrivateRule } = await import(
    "./domain-rule.ts"
  )
  const trusted = read("private", () => (settings.private ?? []).map(parsePrivateRule))
  const { reach = "full" } = settings
  switch (reach) {
    case "none":
      return [...trusted, nothingElse]
    case "allow-list":
      return [...trusted, ...read("allow", () => parseDomainRules(settings.allow ?? []))]
    case "full":
      return [...trusted, everythingPublic]
    default:
      return reach satisfies never
  }
}

/** Settings are a person's: a mistake in them is none of the model's arguments. */
function read<T>(setting: "allow" | "private", parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    const message = `network.${setting} in toolkeep.yaml has to be corrected: ${error.message} Expected: ${error.expected}.`
    throw new ToolFailure({ kind: "unavailable", message, retryable: false })
  }
}
