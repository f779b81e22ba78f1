import { limits, ToolFailure } from "../../contract/index.ts"
import { networkLimits } from "../limits.ts"
import { addressProblem } from "./address-problem.ts"
import { canonicalHost, type Target, writeHost } from "./target.ts"

/** One line of an allow-list. */
export interface DomainRule {
  /** As it was written: what a decision names. */
  readonly text: string
  readonly covers: "host" | "subdomains" | "everything"
  readonly host: string
  readonly ports: readonly number[] | "all"
  /** Whether what it covers may be at a private address. */
  readonly addresses: "public" | "any"
}

/** Lets everything be reached that is public. */
export const everythingPublic: DomainRule = {
  text: "everything public",
  covers: "everything",
  host: "",
  ports: "all",
  addresses: "public",
}

/** What the rules say to a target, before its addresses are known. */
export type Judgement =
  | { readonly kind: "allow"; readonly rule: string }
  | { readonly kind: "deny"; readonly rule: string }

/** Refuses what no other rule allows, and is named as the reason. */
export const nothingElse: DomainRule = {
  ...everythingPublic,
  text: "reach: none",
  ports: [],
}

const defaultPorts = [80, 443]
const written = /^(\*\.)?(\[[^\]]*\]|[^:*]+)(?::(\d{1,5}))?$/

export function parseDomainRules(domains: readonly string[]): readonly DomainRule[] {
  if (domains.length > networkLimits.rules) {
    throw malformed(
      `An allow-list of ${domains.length} domains is too long.`,
      `at most ${networkLimits.rules} domains`,
    )
  }
  return domains.map(parseDomainRule)
}

/** "example.com" is that name only, "*.example.com" the names below it; ":8080" asks for another port. */
export function parseDomainRule(text: string): DomainRule {
  const rule = parsePrivateRule(text)
  const isAddress = canonicalHost(writeHost(rule))?.kind === "address"
  const problem = isAddress ? addressProblem(rule.host) : null
  if (problem !== null) {
    throw malformed(`${quoted(text)} is ${problem}, and those can't be allowed.`)
  }
  return { ...rule, addresses: "public" }
}

/** The same for a host that a person trusts wherever it is. */
export function parsePrivateRule(text: string): DomainRule {
  const [, wildcard, name = "", digits] = written.exec(text) ?? []
  const found = canonicalHost(name)
  const port = digits === undefined ? null : Number(digits)
  if (found === null || (port !== null && (port < 1 || port > 65_535))) {
    throw malformed(`${quoted(text)} is not a domain.`)
  }
  if (wildcard !== undefined && (found.kind === "address" || !found.host.includes("."))) {
    throw malformed(`${quoted(text)} is not a domain that has subdomains.`)
  }
  return {
    text,
    covers: wildcard === undefined ? "host" : "subdomains",
    host: found.host,
    ports: port === null ? defaultPorts : [port],
    addresses: "any",
  }
}

export function judgeTarget(rules: readonly DomainRule[], target: Target): Judgement {
  const matching = rules.find((rule) => matches(rule, target))
  if (matching) return { kind: "allow", rule: matching.text }
  const closest = rules.find((rule) => coversHost(rule, target))
  if (!closest) return { kind: "deny", rule: "nothing on the allow-list matches" }
  return { kind: "deny", rule: `${quoted(closest.text)} allows ${portsOf(closest)}` }
}

function portsOf({ ports }: DomainRule): string {
  if (ports === "all") return "all ports"
  return ports.length === 0 ? "nothing else" : `only port ${ports.join(" and ")}`
}

/** Whether a rule trusts the target wherever it leads. */
export function mayBePrivate(rules: readonly DomainRule[], target: Target): boolean {
  return rules.some((rule) => rule.addresses === "any" && matches(rule, target))
}

function matches(rule: DomainRule, target: Target): boolean {
  return coversHost(rule, target) && (rule.ports === "all" || rule.ports.includes(target.port))
}

/** Whether the rules allow every host and every port that one more rule would. */
export function coverRule(rules: readonly DomainRule[], requested: DomainRule): boolean {
  const ports = rules.filter((rule) => coversHosts(rule, requested)).map((rule) => rule.ports)
  if (ports.includes("all")) return true
  if (requested.ports === "all") return false
  return requested.ports.every((port) =>
    ports.some((some) => some !== "all" && some.includes(port)),
  )
}

function coversHosts(outer: DomainRule, inner: DomainRule): boolean {
  if (outer.covers === "everything") return true
  if (inner.covers === "everything") return false
  if (outer.covers === "host") return inner.covers === "host" && inner.host === outer.host
  if (inner.covers === "subdomains" && inner.host === outer.host) return true
  return inner.host.endsWith(`.${outer.host}`)
}

function coversHost({ covers, host }: DomainRule, target: Target): boolean {
  if (covers === "everything") return true
  if (covers === "host") return host === target.host
  return target.kind === "name" && target.host.endsWith(`.${host}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, limits.quotedCharacters))
}

function malformed(message: string, expected = expectedRule): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field: "network.domains", expected })
}

const expectedRule =
  'a domain such as "example.com", "*.example.com" for its subdomains, or "example.com:8080"; no scheme and no path'
