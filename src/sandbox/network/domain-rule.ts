import { limits, ToolFailure } from "../../contract/index.ts"
import { addressProblem } from "./address-problem.ts"
import { canonicalHost, type Target } from "./target.ts"

/** One line of an allow-list. */
export interface DomainRule {
  /** As it was written: what a decision names. */
  readonly text: string
  readonly covers: "host" | "subdomains"
  readonly host: string
  readonly ports: readonly number[]
}

/** What the rules say to a target, before its addresses are known. */
export type Judgement =
  | { readonly kind: "allow"; readonly rule: string }
  | { readonly kind: "deny"; readonly rule: string }

const usualPorts = [80, 443]
const written = /^(\*\.)?(\[[^\]]*\]|[^:*]+)(?::(\d{1,5}))?$/

export function parseDomainRules(domains: readonly string[]): readonly DomainRule[] {
  if (domains.length > limits.network.rules) {
    throw malformed(
      `An allow-list of ${domains.length} domains is too long.`,
      `at most ${limits.network.rules} domains`,
    )
  }
  return domains.map(parseDomainRule)
}

/** "example.com" is that name only, "*.example.com" the names below it; ":8080" asks for another port. */
export function parseDomainRule(text: string): DomainRule {
  const [, wildcard, name = "", digits] = written.exec(text) ?? []
  const found = canonicalHost(name)
  const port = digits === undefined ? null : Number(digits)
  if (found === null || (port !== null && (port < 1 || port > 65_535))) {
    throw malformed(`${quoted(text)} is no domain.`)
  }
  const problem = found.kind === "address" ? addressProblem(found.host) : null
  if (problem !== null) {
    throw malformed(`${quoted(text)} is ${problem}, and those can't be allowed.`)
  }
  if (wildcard !== undefined && (found.kind === "address" || !found.host.includes("."))) {
    throw malformed(`${quoted(text)} has nothing whose subdomains it could allow.`)
  }
  return {
    text,
    covers: wildcard === undefined ? "host" : "subdomains",
    host: found.host,
    ports: port === null ? usualPorts : [port],
  }
}

export function judgeTarget(rules: readonly DomainRule[], target: Target): Judgement {
  const covering = rules.filter((rule) => coversHost(rule, target))
  const matching = covering.find(({ ports }) => ports.includes(target.port))
  if (matching) return { kind: "allow", rule: matching.text }
  const [closest] = covering
  if (!closest) return { kind: "deny", rule: "nothing on the allow-list matches" }
  const ports = closest.ports.join(" and ")
  return { kind: "deny", rule: `${quoted(closest.text)} allows only port ${ports}` }
}

/** Whether every host of the one is a host of the other; ports are not looked at. */
export function coversRule(outer: DomainRule, inner: DomainRule): boolean {
  if (outer.covers === "host") return inner.covers === "host" && inner.host === outer.host
  if (inner.covers === "subdomains" && inner.host === outer.host) return true
  return inner.host.endsWith(`.${outer.host}`)
}

function coversHost({ covers, host }: DomainRule, target: Target): boolean {
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
