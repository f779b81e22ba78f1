import { rmSync } from "node:fs"
import { systemClock } from "../../../kit/index.ts"
import { connectCluster } from "./cluster/cluster.ts"
import { type KubernetesHostOptions, kubernetesHost } from "./kubernetes-host.ts"
import { type NetworkProof, networkProofFile, saveNetworkProof } from "./network/network-proof.ts"
import { proveNetworks } from "./network/prove-networks.ts"

/** Tries which networks a cluster enforces, with two sandboxes, and stores what it finds. */
export async function tryNetworks(options: KubernetesHostOptions): Promise<NetworkProof> {
  const { directory, clock = systemClock } = options
  const cluster = await connectCluster(options, clock)
  // Until it is known again, sandboxes have the network of the cluster.
  rmSync(networkProofFile(directory), { force: true })
  const proof = await proveNetworks({ host: kubernetesHost(options), cluster, clock })
  await saveNetworkProof(directory, proof)
  return proof
}
