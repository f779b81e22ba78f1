import ipaddr from "ipaddr.js"

/** Public by its number, and still a way into the machine that the caller runs on. */
const metadataAddresses = new Set(["168.63.129.16"])

/** The only part of IPv6 that is given out to the public. */
const publicIpv6 = ipaddr.parseCIDR("2000::/3")

/**
 * Why an address must not be reached from a sandbox; null for a public one. Forms of IPv6 that carry an
 * IPv4 address (mapped, NAT64, 6to4, Teredo) are refused whatever they carry.
 */
export function addressProblem(address: string): string | null {
  // A zone names an interface of this machine.
  if (address.includes("%")) return "an address with a zone"
  const parsed = ipaddr.parse(address)
  if (metadataAddresses.has(parsed.toString())) return "a metadata address"
  const range = parsed.range()
  if (range !== "unicast") return words[range] ?? "a reserved address"
  if (parsed.kind() === "ipv6" && !parsed.match(publicIpv6)) return "a reserved address"
  return null
}

const words: Readonly<Record<string, string>> = {
  unspecified: "an address of this machine",
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  carrierGradeNat: "a private address",
  linkLocal: "a link-local address",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  ipv4Mapped: "an IPv4 address inside an IPv6 address",
  rfc6145: "an IPv4 address inside an IPv6 address",
  rfc6052: "an IPv4 address inside an IPv6 address",
  "6to4": "an IPv4 address inside an IPv6 address",
  teredo: "an IPv4 address inside an IPv6 address",
}
