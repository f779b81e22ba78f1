import type { Network } from "../../contract/index.ts"
import { aText, badRequest, isRecord, notImplemented, optional, required } from "./request.ts"

type Body = Readonly<Record<string, unknown>>

interface Rule {
  readonly action: "allow" | "deny"
  readonly target: string
}

/** OpenSandbox's policy for what a sandbox reaches, as a network. Refused where the two can't say the same. */
export function readNetworkPolicy(policy: Body): Network {
  const rules = readRules(policy.egress ?? [])
  const action = optional(policy, "defaultAction", aText) ?? "deny"
  const denied = rules.filter((rule) => rule.action === "deny")
  const domains = rules.filter((rule) => rule.action === "allow").map(({ target }) => target)
  switch (action) {
    case "allow":
      if (denied.length > 0) throw notImplemented("A network that allows all but some names")
      return { kind: "full" }
    case "deny":
      // A name that is denied before it is allowed would be allowed here.
      if (denied.some(({ target }) => domains.some((domain) => overlaps(domain, target)))) {
        throw notImplemented("A name that is both allowed and denied")
      }
      return domains.length === 0 ? { kind: "none" } : { kind: "allow-list", domains }
    default:
      throw badRequest('defaultAction has to be "allow" or "deny".', "networkPolicy")
  }
}

export function readRules(rules: unknown): readonly Rule[] {
  if (!Array.isArray(rules)) throw badRequest("The rules have to be a list.", "egress")
  return rules.map((rule: unknown) => {
    if (!isRecord(rule)) throw badRequest("A rule has to be an object.", "egress")
    const action = required(rule, "action", aText)
    if (action !== "allow" && action !== "deny") {
      throw badRequest('The action of a rule has to be "allow" or "deny".', "egress")
    }
    return { action, target: required(rule, "target", aText) }
  })
}

export function describeNetwork(network: Network): Body {
  switch (network.kind) {
    case "none":
      return { defaultAction: "deny", egress: [] }
    case "full":
      return { defaultAction: "allow", egress: [] }
    case "allow-list":
      return {
        defaultAction: "deny",
        egress: network.domains.map((target) => ({ action: "allow", target })),
      }
    default:
      return network satisfies never
  }
}

/** The network after more rules; those on names that it has replace what it says of them. */
export function withRules(network: Network, rules: readonly Rule[]): Network {
  const targets = rules.map(({ target }) => target)
  const allowed = rules.filter(({ action }) => action === "allow").map(({ target }) => target)
  if (network.kind === "full") {
    if (allowed.length < rules.length) throw notImplemented("A name that a full network denies")
    return network
  }
  const had = network.kind === "allow-list" ? network.domains : []
  const domains = [...had.filter((domain) => !targets.includes(domain)), ...new Set(allowed)]
  return domains.length === 0 ? { kind: "none" } : { kind: "allow-list", domains }
}

function overlaps(domain: string, target: string): boolean {
  const bare = (name: string) => name.toLowerCase().replace(/^\*\./, "")
  return bare(domain) === bare(target) || bare(target).endsWith(`.${bare(domain)}`)
}
