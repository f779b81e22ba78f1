import type { V1Lease } from "@kubernetes/client-node"
import { isDead } from "../../../../node/index.ts"
import { kubernetesLimits } from "../../../limits.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { ownerLabel, toolkeepLabel } from "./object-names.ts"
import { renewed } from "./process-lease.ts"

export interface Sweep {
  /** Removes what Toolkeeps have left whose Lease is over; `own` is the one of this process. */
  look(own: string | null): Promise<void>
  /** Removes pods of which no Lease is known at all. */
  removeUnowned(): Promise<void>
}

/**
 * Removes what Toolkeeps have left in a cluster that died without doing it. A process of this machine is known to be
 * dead at once, any other one by its Lease: expired by the API server's clock, and still the same some time later,
 * because all of them expire while the API server is away.
 */
export function createSweep(
  cluster: Cluster,
  /** Homes have volumes of their own. */
  hasClaims: boolean,
): Sweep {
  /** Those that were expired when they were first seen so, with when that was. */
  const suspects = new Map<string, { readonly version: string | undefined; readonly at: number }>()
  let lookedAt = Number.NEGATIVE_INFINITY

  function isOver(lease: V1Lease): boolean {
    const { name = "", resourceVersion: version } = lease.metadata ?? {}
    const { holderIdentity } = lease.spec ?? {}
    if (holderIdentity && isDead(holderIdentity)) return true
    if (!isExpired(lease, cluster.now())) return false
    const known = suspects.get(name)
    if (known && known.version === version) {
      return performance.now() - known.at >= kubernetesLimits.suspectMs
    }
    suspects.set(name, { version, at: performance.now() })
    return false
  }

  async function removeAll(owner: string): Promise<void> {
    const label = `${ownerLabel}=${owner}`
    const pods = await cluster.podsLabelled(label)
    await Promise.all(pods.map(({ metadata }) => cluster.removePod(metadata?.name ?? "")))
    if (!hasClaims) return
    const claims = await cluster.claimsLabelled(label)
    await Promise.all(claims.map(({ metadata }) => cluster.removeClaim(metadata?.name ?? "")))
  }

  return {
    async look(own) {
      if (performance.now() - lookedAt < kubernetesLimits.sweepMs) return
      lookedAt = performance.now()
      const leases = await cluster.leasesLabelled(toolkeepLabel)
      const names = new Set(leases.map(({ metadata }) => metadata?.name))
      for (const name of suspects.keys()) if (!names.has(name)) suspects.delete(name)
      for (const lease of leases) {
        const name = lease.metadata?.name ?? ""
        if (name === own || !isOver(lease)) continue
        // Taken first: a process that was only stopped learns by it that what it had is gone, and takes another name.
        if (!(await cluster.updateLease(renewed(lease, cluster.now())))) continue
        await removeAll(name)
        await cluster.removeLease(name)
      }
    },
    async removeUnowned() {
      const pods = await cluster.podsLabelled(toolkeepLabel)
      if (pods.length === 0) return
      // Read after the pods: each of them was made after its Lease.
      const leases = await cluster.leasesLabelled(toolkeepLabel)
      const owners = new Set(leases.map(({ metadata }) => metadata?.name))
      const unowned = pods.filter(({ metadata }) => !owners.has(metadata?.labels?.[ownerLabel]))
      await Promise.all(unowned.map(({ metadata }) => cluster.removePod(metadata?.name ?? "")))
    },
  }
}

/** By the clock that said when it was renewed. */
function isExpired({ spec }: V1Lease, now: number): boolean {
  const renewedAt = spec?.renewTime === undefined ? 0 : new Date(spec.renewTime).getTime()
  const seconds = spec?.leaseDurationSeconds ?? kubernetesLimits.leaseSeconds
  return now - renewedAt > seconds * 1_000
}
