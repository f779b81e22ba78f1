import type { Host } from "../host/host.ts"
import type { KubernetesHostOptions } from "./kubernetes/kubernetes-host.ts"
import type { NetworkProof } from "./kubernetes/network/network-proof.ts"

/** `kubernetesHost`, loaded where it is used: most processes have another host. */
export async function openKubernetesHost(options: KubernetesHostOptions): Promise<Host> {
  const { kubernetesHost } = await import("./kubernetes/kubernetes-host.ts")
  return kubernetesHost(options)
}

/** Tries which networks its cluster enforces, and stores what it finds for hosts that are opened later. */
export async function tryKubernetesNetworks(options: KubernetesHostOptions): Promise<NetworkProof> {
  const { tryNetworks } = await import("./kubernetes/try-networks.ts")
  return tryNetworks(options)
}
