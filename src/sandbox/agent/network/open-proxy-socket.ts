import { chmodSync, chownSync, closeSync, constants, openSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { NetworkProxy } from "../../network/create-network-proxy.ts"
import type { DomainRule } from "../../network/domain-rule.ts"
import type { Exchange } from "../commands/exchange.ts"
import type { AgentScope } from "../commands/run-command.ts"
import type { SandboxNetworkDeps } from "./sandbox-network.ts"
import { startRelay } from "./start-relay.ts"

/** The way from a sandbox to the proxy of its own: a socket in its exchange, and a relay inside. */
export interface ProxySocket {
  setRules(rules: readonly DomainRule[]): void
  close(): Promise<void>
}

export interface ProxySocketDeps
  extends Pick<SandboxNetworkDeps, "onDecision" | "dialer" | "user" | "injectNode"> {
  readonly rules: readonly DomainRule[]
}

export async function openProxySocket(
  scope: AgentScope,
  deps: ProxySocketDeps,
): Promise<ProxySocket> {
  await deps.injectNode()
  // Most sandboxes have no network, and Node's HTTP takes a while to load.
  const { createNetworkProxy } = await import("../../network/create-network-proxy.ts")
  const proxy = createNetworkProxy({ ...deps, clock: scope.clock })
  const closeSocket = await lead(scope.exchange, proxy, deps.user)
  const relay = startRelay(scope)
  const close = async () => {
    await Promise.all([closeSocket(), relay.stop()])
  }
  try {
    await relay.ready
  } catch (error) {
    await close()
    throw error
  }
  return { setRules: (rules) => proxy.setRules(rules), close }
}

/** Has what connects inside come to the proxy. */
async function lead(
  { directory, accept }: Exchange,
  proxy: NetworkProxy,
  user: number | null,
): Promise<() => Promise<void>> {
  if (directory !== null) return listenFor(proxy, directory, user)
  const refuse = accept?.(proxy.accept)
  return async () => {
    refuse?.()
    await proxy.close()
  }
}

/** Only the sandbox's user may connect. */
async function listenFor(
  proxy: NetworkProxy,
  directory: string,
  user: number | null,
): Promise<() => Promise<void>> {
  // The name of a socket may have 107 bytes, and that of a directory can be longer. Held open for as
  // long as it listens: closing removes the socket by that same name.
  const held = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  const path = join(directory, "proxy")
  const close = async () => {
    await proxy.close()
    closeSync(held)
  }
  try {
    rmSync(path, { force: true })
    await proxy.listen({ path: `/proc/self/fd/${held}/proxy` })
    chmodSync(path, 0o600)
    if (user !== null) chownSync(path, user, user)
    return close
  } catch (error) {
    await close()
    throw error
  }
}
