import { isIP } from "node:net"

/** Where a connection is to go, in the one form that the same address always has. */
export interface Target {
  readonly kind: "name" | "address"
  readonly host: string
  readonly port: number
}

/** Characters that are not part of a host, though a URL could interpret them. */
const foreign = /[\u0000-\u0020\u007f/\\?#@%]/
const label = /^[a-z0-9_-]{1,63}$/
const longestName = 253
const longestText = 1_024

/**
 * A name or an address. Case, a trailing dot, unicode, and every notation of an address (decimal, octal,
 * hexadecimal, short, IPv6) are brought to one form, as every browser does it. Null for what is neither.
 */
export function canonicalHost(text: string): Omit<Target, "port"> | null {
  const isBracketed = text.startsWith("[") && text.endsWith("]")
  if (text.length > longestText || foreign.test(text)) return null
  if (!isBracketed && text.includes(":")) return null
  const parsed = URL.parse(`http://${text}/`)
  if (!parsed) return null
  const bare = parsed.hostname.replace(/^\[(.*)\]$/, "$1")
  if (isIP(bare) !== 0) return { kind: "address", host: bare }
  const host = bare.replace(/\.$/, "")
  const isName = host.length <= longestName && host.split(".").every((part) => label.test(part))
  return isName ? { kind: "name", host } : null
}

const authority = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/

/** "host:port", or "host" where there is a default port. Null for anything else. */
export function parseTarget(text: string, defaultPort: number | null): Target | null {
  const [, name = "", digits] = authority.exec(text) ?? []
  const port = digits === undefined ? defaultPort : Number(digits)
  const host = canonicalHost(name)
  if (host === null || port === null || port < 1 || port > 65_535) return null
  return { ...host, port }
}

/** As it is written in a URL or a Host header. */
export function writeHost({ host }: Pick<Target, "host">): string {
  return host.includes(":") ? `[${host}]` : host
}
