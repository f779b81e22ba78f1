import type { Network } from "../../../contract/index.ts"
import type { SandboxSpec } from "../../host/host.ts"
import type { NetworkDecision } from "../../network/decide-target.ts"
import { type Dialer, systemDialer } from "../../network/dialer.ts"
import { type DomainRule, parseDomainRules } from "../../network/domain-rule.ts"
import { proxyVariables } from "../../network/relay.ts"
import { injectNode } from "../../programs/inject-node.ts"
import type { AgentScope } from "../commands/run-command.ts"
import { openProxySocket, type ProxySocket } from "./open-proxy-socket.ts"

export interface SandboxNetworkDeps {
  readonly network: Network
  readonly onDecision: (decision: NetworkDecision) => void
  readonly dialer: Dialer
  /** The sandbox's user on this machine; null for the user who runs Toolkeep. */
  readonly user: number | null
  /** Injects Node into the sandbox. */
  readonly injectNode: () => Promise<void>
}

/** What one sandbox can reach, over all its sleeps. */
export interface SandboxNetwork {
  readonly current: Network
  /** What commands find in their environment unless they are given something else. */
  readonly variables: Readonly<Record<string, string>>
  /** Opens the way out of a sandbox that was just started, if there is one. */
  enter(scope: AgentScope): Promise<void>
  /**
   * Applies from now on. Answers whether the sandbox has to be restarted for it: the machine's own network
   * is given to a sandbox when it starts.
   */
  change(network: Network): Promise<"changed" | "restart">
}

export function createSandboxNetwork(deps: SandboxNetworkDeps): SandboxNetwork {
  let rules = rulesOf(deps.network)
  /** The scope in which it is awake, and whether that is over. */
  let active: { readonly scope: AgentScope; isGone: boolean } | null = null
  let proxySocket: ProxySocket | null = null
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  function use(network: Network, networkRules: readonly DomainRule[]): void {
    rules = networkRules
    self.current = network
    self.variables = variablesOf(network)
  }

  async function shut(): Promise<void> {
    const open = proxySocket
    proxySocket = null
    await open?.close()
  }

  async function apply(): Promise<void> {
    if (self.current.kind !== "allow-list" || !active) return shut()
    if (proxySocket) return proxySocket.setRules(rules)
    proxySocket = await openProxySocket(active.scope, { ...deps, rules })
  }

  const self = {
    current: deps.network,
    variables: variablesOf(deps.network),
    enter: (scope: AgentScope) =>
      inTurn(async () => {
        await shut()
        const entered = { scope, isGone: false }
        active = entered
        scope.agent.gone.then(() => {
          entered.isGone = true
          return inTurn(async () => {
            if (active !== entered) return
            active = null
            await shut()
          })
        })
        await apply()
      }),
    async change(next: Network) {
      // Known before anything is changed: rules may be malformed.
      const nextRules = rulesOf(next)
      return inTurn(async () => {
        const before = { network: self.current, rules }
        use(next, nextRules)
        if ((before.network.kind === "full") !== (next.kind === "full")) {
          await shut()
          return "restart"
        }
        try {
          await apply()
        } catch (error) {
          // It went to sleep meanwhile: the way is opened when it wakes.
          if (active?.isGone) return "changed"
          use(before.network, before.rules)
          throw error
        }
        return "changed"
      })
    },
  }
  return self
}

function variablesOf(network: Network): Readonly<Record<string, string>> {
  return network.kind === "allow-list" ? proxyVariables : {}
}

function rulesOf(network: Network): readonly DomainRule[] {
  return network.kind === "allow-list" ? parseDomainRules(network.domains) : []
}

export interface NetworkOptions {
  readonly user: number | null
  /** On this machine: what sandboxes see as /run/toolkeep-bin. */
  readonly programs: string
  readonly dialer: Dialer | undefined
}

/** What a sandbox's network needs, by what was requested. */
export function networkDeps(spec: SandboxSpec, options: NetworkOptions): SandboxNetworkDeps {
  const { user, programs, dialer = systemDialer } = options
  return {
    user,
    dialer,
    network: spec.network ?? { kind: "none" },
    onDecision: spec.onNetwork ?? (() => {}),
    injectNode: () => injectNode(programs),
  }
}
