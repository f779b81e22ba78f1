import { lookup } from "node:dns/promises"
import { connect, type Socket } from "node:net"
import { networkInterfaces } from "node:os"

/** The network beyond this machine, as far as a proxy uses it. */
export interface Outside {
  /** All addresses of a name. */
  lookup(name: string): Promise<readonly string[]>
  /** Connects to that very address; nothing is looked up any more. */
  connect(address: string, port: number): Socket
  /** The addresses that lead back to this machine, also where they are public. */
  ownAddresses(): readonly string[]
}

export const systemOutside: Outside = {
  async lookup(name) {
    const found = await lookup(name, { all: true, order: "verbatim" })
    return found.map(({ address }) => address)
  },
  connect: (address, port) => connect({ host: address, port, allowHalfOpen: true }),
  ownAddresses: () =>
    Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).map(({ address }) => address),
    ),
}
