import { Resolver } from "node:dns/promises"
import { connect, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { networkLimits } from "../limits.ts"

/** Looks up names and connects to addresses for the proxy. */
export interface Dialer {
  /** All addresses of a name. */
  lookup(name: string): Promise<readonly string[]>
  /** Connects to that very address; nothing is looked up any more. */
  connect(address: string, port: number): Socket
  /** The addresses that lead back to this machine, also where they are public. */
  ownAddresses(): readonly string[]
}

export const systemDialer: Dialer = {
  lookup: (name) => lookUp(name, new Resolver(resolverOptions)),
  connect: (address, port) => connect({ host: address, port, allowHalfOpen: true }),
  ownAddresses: () =>
    Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).map(({ address }) => address),
    ),
}

const resolverOptions = { timeout: networkLimits.lookupMs / 4, tries: 2 }

/**
 * Asks the name servers of this machine itself: the system's own way holds one of a few threads that
 * everything else in this process needs too, for as long as a server likes that an attacker chose.
 */
export async function lookUp(name: string, resolver: Resolver): Promise<readonly string[]> {
  // By definition this machine, whatever a server says.
  if (name === "localhost" || name.endsWith(".localhost")) return ["127.0.0.1", "::1"]
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  if (four.status === "rejected" && six.status === "rejected") throw four.reason
  const addresses = [four, six].map((answer) => (answer.status === "fulfilled" ? answer.value : []))
  return inTurn(addresses)
}

/** One of each kind after the other, so that a machine without one kind soon tries the other. */
function inTurn(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list[index] ?? []),
  ).flat()
}
