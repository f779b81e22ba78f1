import ipaddr from "ipaddr.js"
import { networkLimits } from "../limits.ts"
import { addressProblem } from "./address-problem.ts"
import type { Dialer } from "./dialer.ts"
import { type DomainRule, type Judgement, judgeTarget, mayBePrivate } from "./domain-rule.ts"
import type { Target } from "./target.ts"

/** What the network's guard said to one connection, and by which rule. */
export interface NetworkDecision {
  readonly target: string
  readonly port: number
  readonly allowed: boolean
  readonly rule: string
}

/** What a proxy may do for a target: nothing, or connect to these checked addresses and no others. */
export type Decision =
  | { readonly kind: "allow"; readonly rule: string; readonly addresses: readonly string[] }
  | { readonly kind: "deny"; readonly rule: string; readonly because: DenialCause }

/** What a denial comes from: only a failed look-up may go better another time. */
export type DenialCause = "rules" | "addresses" | "lookup"

export interface DecisionDeps {
  readonly rules: readonly DomainRule[]
  readonly trusts?: (target: Target) => boolean
  readonly dialer: Dialer
}

/** Every error denies. */
export async function decideTarget(target: Target, deps: DecisionDeps): Promise<Decision> {
  const { rules, dialer } = deps
  const isTrusted = deps.trusts?.(target) ?? false
  const judgement: Judgement = isTrusted
    ? { kind: "allow", rule: "a place of this session" }
    : judgeTarget(rules, target)
  if (judgement.kind === "deny") return deny(judgement.rule, "rules")
  try {
    const addresses = target.kind === "address" ? [target.host] : await dialer.lookup(target.host)
    if (addresses.length === 0) return deny("the name has no address", "lookup")
    if (addresses.length > networkLimits.addresses) {
      return deny(`it has more than ${networkLimits.addresses} addresses`, "addresses")
    }
    if (isTrusted || mayBePrivate(rules, target))
      return { kind: "allow", rule: judgement.rule, addresses }
    // All of them: a name that leads to a good and a bad address is not to be trusted with either.
    const own = new Set(dialer.ownAddresses().map(canonical))
    for (const address of addresses) {
      const problem = own.has(canonical(address))
        ? "an address of this machine"
        : addressProblem(address)
      if (problem !== null) return deny(`it leads to ${address}, ${problem}`, "addresses")
    }
    return { kind: "allow", rule: judgement.rule, addresses }
  } catch {
    return deny("the name could not be looked up", "lookup")
  }
}

function canonical(address: string): string {
  return ipaddr.parse(address.replace(/%.*$/, "")).toString()
}

function deny(rule: string, because: DenialCause): Decision {
  return { kind: "deny", rule, because }
}
