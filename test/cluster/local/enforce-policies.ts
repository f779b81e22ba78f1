import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { sleep } from "../../../src/kit/index.ts"
import type { Cluster } from "../../../src/sandbox/hosts/kubernetes/cluster/cluster.ts"

const lookMs = 200

/**
 * What a network plugin does that enforces policies, as far as the one of Toolkeep goes: a pod that is labelled as closed
 * loses its routes, so that nothing gets out of it and no answer either. The local cluster's own plugin enforces none.
 */
export function enforcePolicies(cluster: Cluster): AsyncDisposable {
  const closed = new Set<string>()
  let isOver = false

  async function look(): Promise<void> {
    const pods = await cluster.podsLabelled("toolkeep.dev/network")
    for (const { metadata, status } of pods) {
      const { name = "", labels } = metadata ?? {}
      const address = status?.podIP
      const isClosed = labels?.["toolkeep.dev/network"] === "closed"
      if (!address || isClosed === closed.has(name)) continue
      const network = networkOf(address)
      if (network === null) continue
      if (isClosed) closed.add(name)
      else closed.delete(name)
      for (const words of isClosed ? close : openWith(address)) ip(network, words)
    }
  }
  const looking = (async () => {
    while (!isOver) {
      await look().catch(() => {})
      await sleep(lookMs)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await looking
    },
  }
}

const close = ["route flush table main"]

function openWith(address: string): readonly string[] {
  const range = address.split(".").slice(0, 3).join(".")
  return [
    `route add ${range}.0/24 dev eth0 src ${address}`,
    `route add default via ${range}.1 dev eth0`,
  ]
}

const networks = "/var/run/netns"

/** The namespace in which the address is, which its node's plugin has made. */
function networkOf(address: string): string | null {
  const names = readdirSync(networks).filter((name) => name.startsWith("cni-"))
  const found = names.find((name) => ip(join(networks, name), "-4 -o addr").includes(`${address}/`))
  return found === undefined ? null : join(networks, found)
}

function ip(network: string, words: string): string {
  return spawnSync("nsenter", [`--net=${network}`, "ip", ...words.split(" ")]).stdout.toString()
}
