import type { Settings } from "../../config/index.ts"
import {
  type Capabilities,
  type Checked,
  type InferSchema,
  isObject,
  type Network,
  object,
  type ToolFailure,
} from "../../contract/index.ts"
import {
  beyondBound,
  isWithinKind,
  type NetworkBound,
  networkLimits,
  type PoolNetwork,
} from "../../sandbox/index.ts"
import { invalidArgument } from "../arguments.ts"

/**
 * What a call may ask for, so that no model is offered a network that would be refused. Never the whole network
 * where sandboxes do not start with it: that reaches this machine's own services, and giving it is for the
 * program that opened the session.
 */
function askableNetworks(
  { networks }: Capabilities,
  { initial, bounds }: PoolNetwork,
): readonly Network["kind"][] {
  const first = initial?.kind ?? networks[0] ?? "none"
  return networks.filter((kind) => {
    if (kind === "full" && first !== "full") return false
    return bounds.every(({ network }) => isWithinKind(kind, network.kind))
  })
}

/** The argument for these networks; null where there is one only, and so nothing to ask for. */
export function networkArgument(can: Capabilities, pool: PoolNetwork) {
  const networks = askableNetworks(can, pool)
  if (networks.length < 2) return null
  const kind = {
    type: "string",
    enum: networks,
    description: 'Such as "none".',
  } as const
  const allowed = pool.bounds.flatMap(({ network }) =>
    network.kind === "allow-list" ? network.domains : [],
  )
  const within = allowed.length === 0 ? "" : `, within ${allowed.slice(0, 20).join(", ")}`
  const examples = allowed.length === 0 ? ["example.com"] : allowed.slice(0, 1)
  const domains = {
    type: "array",
    maxItems: networkLimits.rules,
    items: { type: "string", minLength: 1 },
    description: `By HTTP and HTTPS${within || ', such as "*.example.org"'}.`,
  } as const
  const example = {
    kind: networks.at(-1),
    ...(networks.includes("allow-list") && { kind: "allow-list", domains: examples }),
  }
  return {
    ...object({ kind, ...(networks.includes("allow-list") && { "domains?": domains }) }),
    description: `What commands can reach, such as ${JSON.stringify(example)}.`,
  }
}

type NetworkRequest = InferSchema<NonNullable<ReturnType<typeof networkArgument>>>

export function networkOf(request: NetworkRequest | undefined): Network | undefined {
  if (request === undefined) return undefined
  const { kind, domains } = request
  if (kind === "allow-list") {
    if (domains === undefined) throw wrong("An allow-list needs domains.", '["example.com"]')
    return { kind, domains }
  }
  if (domains === undefined || domains.length === 0) return { kind }
  throw wrong(`The network "${kind}" has no domains.`, 'no domains, or the kind "allow-list"')
}

/** A network that the schema leaves out because of a bound is refused with that bound, and not as a slip of the pen. */
export function nameBound(
  checked: Checked,
  input: unknown,
  bounds: readonly NetworkBound[],
): Checked {
  if (checked.ok || !checked.failure.field?.startsWith("network")) return checked
  const kind = kindIn(input)
  const bound = bounds.find(({ network }) => kind !== null && !isWithinKind(kind, network.kind))
  return bound && kind ? { ok: false, failure: beyondBound(kind, bound) } : checked
}

function kindIn(input: unknown): Network["kind"] | null {
  const given: unknown = typeof input === "string" ? JSON.parse(input) : input
  const network = isObject(given) ? given.network : undefined
  const kind = isObject(network) ? network.kind : undefined
  return kind === "none" || kind === "allow-list" || kind === "full" ? kind : null
}

function wrong(message: string, expected: string): ToolFailure {
  return invalidArgument("network.domains", message, expected)
}

/** What the settings say about sandboxes: those are no way around what web and browser tools may reach. */
export function networkBounds({ network }: Settings): readonly NetworkBound[] {
  const source = "network.reach in toolkeep.yaml (in a program, its settings)"
  if (network?.reach === "none") return [{ network: { kind: "none" }, source }]
  if (network?.reach !== "allow-list") return []
  return [{ network: { kind: "allow-list", domains: network.allow ?? [] }, source }]
}
