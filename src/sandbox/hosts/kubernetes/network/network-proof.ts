import { readFileSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "../../../../node/index.ts"
import { kubernetesLimits } from "../../../limits.ts"

/** What trying has shown about the networks of a cluster's pods. */
export interface NetworkProof {
  /** The cluster and the namespace, as people are shown them. */
  readonly cluster: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** What an open pod reaches and a closed one does not, that each pod can try alone. */
  readonly closed: readonly string[]
  /** Why nothing is promised; null where it is. */
  readonly problem: string | null
}

export function networkProofFile(directory: string): string {
  return join(directory, "networks.json")
}

export async function saveNetworkProof(directory: string, proof: NetworkProof): Promise<void> {
  await replaceFile(networkProofFile(directory), `${JSON.stringify(proof)}\n`)
}

/** Null where nobody has tried, or it was long ago. */
export function readNetworkProof(directory: string): NetworkProof | null {
  try {
    const proof: NetworkProof = JSON.parse(readFileSync(networkProofFile(directory), "utf8"))
    const isFresh = Date.now() - proof.at < kubernetesLimits.proofMs
    return isFresh && Array.isArray(proof.closed) ? proof : null
  } catch {
    return null
  }
}

/** Why sandboxes have no network but the cluster's own. */
export function whyOnlyFull(proof: NetworkProof | null): string {
  const reason = proof?.problem ?? "Nobody has tried whether the cluster enforces NetworkPolicies."
  return `${reason} \`toolkeep kubernetes networks\` tries it.`
}
