import { type Capabilities, limits, type Network, ToolFailure } from "../../contract/index.ts"
import type { Settings } from "../../policy/index.ts"
import { uncoveredDomains } from "../../sandbox/index.ts"

export const networkArgument = {
  type: "object",
  properties: {
    kind: {
      type: "string",
      enum: ["none", "allow-list", "full"],
      description: 'What commands can reach: nothing, or the domains of an "allow-list".',
    },
    domains: {
      type: "array",
      maxItems: limits.network.rules,
      items: { type: "string", minLength: 1 },
      description: 'For "allow-list", by HTTP and HTTPS: ["example.com", "*.example.org"].',
    },
  },
  required: ["kind"],
  additionalProperties: false,
  description:
    'What commands in it can reach, such as {"kind": "allow-list", "domains": ["packages.example.org"]}.',
} as const

export interface NetworkWish {
  readonly kind: Network["kind"]
  readonly domains?: readonly string[]
}

/**
 * What a call may ask for. Never the whole network where sandboxes do not start with it: that reaches this
 * machine's own services, and giving it is for the program that opened the session.
 */
export function askableNetworks(
  { networks }: Capabilities,
  settings: Settings,
): readonly Network["kind"][] {
  const reach = settings.network?.reach
  return networks.filter((kind) => {
    if (kind === "full") return networks[0] === "full"
    return kind === "none" || reach !== "none"
  })
}

export async function networkOf(
  wish: NetworkWish | undefined,
  settings: Settings,
): Promise<Network | undefined> {
  if (wish === undefined) return undefined
  const { kind, domains } = wish
  if (kind !== "allow-list") {
    if (domains === undefined || domains.length === 0) return { kind }
    throw wrong(`The network "${kind}" has no domains.`, 'no domains, or the kind "allow-list"')
  }
  if (domains === undefined) throw wrong("An allow-list needs domains.", '["example.com"]')
  await requireCovered(domains, settings)
  return { kind, domains }
}

/** A sandbox is no way around what web and browser tools may reach. */
async function requireCovered(domains: readonly string[], { network }: Settings): Promise<void> {
  if (network?.reach !== "allow-list") return
  const allowed = network.allow ?? []
  const [beyond] = await uncoveredDomains(domains, allowed)
  if (beyond === undefined) return
  throw new ToolFailure({
    kind: "rejected",
    message: `${JSON.stringify(beyond.slice(0, 100))} is not on the allow-list of this session's network.`,
    field: "network.domains",
    expected: `within ${allowed.slice(0, 20).join(", ")}`,
  })
}

function wrong(message: string, expected: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field: "network.domains", expected })
}
