import { type FailureDetails, type Network, ToolFailure } from "../../contract/index.ts"
import type { Host } from "../host/host.ts"
import { uncoveredDomains } from "../network/uncovered-domains.ts"

/** A network that no sandbox may exceed, and its source. */
export interface NetworkBound {
  readonly network: Network
  /** Completes "as ... says". */
  readonly source: string
}

/** What the sandboxes of a pool start with, and the most that they may be given. */
export interface PoolNetwork {
  /** The host's default when absent. */
  readonly initial?: Network | undefined
  readonly bounds: readonly NetworkBound[]
}

const reach: Readonly<Record<Network["kind"], number>> = { none: 0, "allow-list": 1, full: 2 }

/** Whether a kind of network reaches no further than another one: none, then allow-list, then full. */
export function isWithinKind(kind: Network["kind"], bound: Network["kind"]): boolean {
  return reach[kind] <= reach[bound]
}

/** Refuses a network that reaches further than one of the bounds, naming the bound. */
export async function requireWithin(
  requested: Network,
  bounds: readonly NetworkBound[],
): Promise<void> {
  for (const bound of bounds) {
    const { network, source } = bound
    if (!isWithinKind(requested.kind, network.kind)) {
      throw new ToolFailure(beyondBound(requested.kind, bound))
    }
    if (requested.kind !== "allow-list" || network.kind !== "allow-list") continue
    const [beyond] = await uncoveredDomains(requested.domains, network.domains)
    if (beyond === undefined) continue
    throw new ToolFailure({
      kind: "rejected",
      message: `${JSON.stringify(beyond.slice(0, 100))} is not on the allow-list of this session's network, as ${source} says.`,
      field: "network.domains",
      expected: describeNetwork(network),
    })
  }
}

export function beyondBound(
  kind: Network["kind"],
  { network, source }: NetworkBound,
): FailureDetails {
  return {
    kind: "rejected",
    message: `The network "${kind}" is more than this session's sandboxes may have: at most "${network.kind}", as ${source} says.`,
    field: "network",
    expected: describeNetwork(network),
  }
}

/**
 * The network that a remembered sandbox gets: its own, or what all bounds allow where its own may exceed one of them.
 * Domains are compared as they are written, so that a pool opens at once.
 */
export function narrowNetwork(
  own: Network | undefined,
  bounds: readonly NetworkBound[],
  { can }: Pick<Host, "can">,
): Network | undefined {
  const start = own ?? { kind: can.networks[0] ?? "none", domains: [] }
  const most = bounds.map(({ network }) => network)
  return most.every((bound) => isWrittenWithin(start, bound)) ? own : most.reduce(commonNetwork)
}

function isWrittenWithin(network: Network, bound: Network): boolean {
  if (network.kind !== "allow-list" || bound.kind !== "allow-list") {
    return isWithinKind(network.kind, bound.kind)
  }
  return network.domains.every((domain) => bound.domains.includes(domain))
}

function commonNetwork(one: Network, other: Network): Network {
  if (one.kind !== "allow-list" || other.kind !== "allow-list") {
    return isWithinKind(one.kind, other.kind) ? one : other
  }
  return { ...one, domains: one.domains.filter((domain) => other.domains.includes(domain)) }
}

function describeNetwork(network: Network): string {
  if (network.kind !== "allow-list") return `the network "${network.kind}"`
  const { domains } = network
  const more = domains.length > 20 ? ", ..." : ""
  return `within ${domains.slice(0, 20).join(", ")}${more}`
}
