import type { V1Lease } from "@kubernetes/client-node"
import type { Clock } from "../../../../kit/index.ts"
import { ownerOf } from "../../../../node/index.ts"
import { kubernetesLimits } from "../../../limits.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { objectName, toolkeepLabel } from "./object-names.ts"

/** The Lease that says to other Toolkeeps that this process lives, and what it has in the cluster is in use. */
export interface ProcessLease {
  /**
   * Its name, which this process's objects are labelled with. The Lease is there by then: objects without one are
   * anybody's to remove.
   */
  name(): Promise<string>
  /** Renews it until the returned function is called, and removes it after the last such call. */
  hold(): () => Promise<void>
}

export function createProcessLease(
  cluster: Cluster,
  clock: Clock,
  /** What else is done each time. */
  onRenewal: (own: string | null) => Promise<void>,
): ProcessLease {
  const { renewMs, leaseSeconds } = kubernetesLimits
  let current: V1Lease | null = null
  let renewedAt = 0
  let holders = 0
  let cancelTick = () => {}
  let last: Promise<unknown> = Promise.resolve()

  /** Two updates at once would each take the other for somebody else's. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  async function renew(): Promise<V1Lease> {
    const updated = current && (await cluster.updateLease(renewed(current, cluster.now())))
    // One that another process has taken is over, with all that has its name.
    current =
      updated ?? (await cluster.createLease(leaseSettings(objectName("owner"), cluster.now())))
    renewedAt = performance.now()
    return current
  }

  async function tick(): Promise<void> {
    await inTurn(renew).catch(() => {
      // The API server may be away; the next one tells.
    })
    await onRenewal(current?.metadata?.name ?? null).catch(() => {})
    if (holders > 0) cancelTick = clock.after(renewMs, tick, "idle")
  }

  async function remove(): Promise<void> {
    const name = current?.metadata?.name
    if (holders > 0 || name === undefined) return
    current = null
    await cluster.removeLease(name).catch(() => {
      // It expires, and another Toolkeep removes it.
    })
  }

  return {
    name: () =>
      inTurn(async () => {
        const isFresh = performance.now() - renewedAt < (leaseSeconds * 1_000) / 2
        const lease = current && isFresh ? current : await renew()
        return lease.metadata?.name ?? ""
      }),
    hold() {
      holders += 1
      if (holders === 1) cancelTick = clock.after(renewMs, tick, "idle")
      let isHeld = true
      return async () => {
        if (!isHeld) return
        isHeld = false
        holders -= 1
        if (holders > 0) return
        cancelTick()
        await inTurn(remove)
      }
    },
  }
}

function leaseSettings(name: string, now: number): V1Lease {
  return renewed(
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, labels: { [toolkeepLabel]: "true" } },
      spec: { leaseDurationSeconds: kubernetesLimits.leaseSeconds },
    },
    now,
  )
}

/** Held by this process from now on. */
export function renewed(lease: V1Lease, now: number): V1Lease {
  // A time of the API with microseconds: the type wants a Date, the API its text.
  const renewTime = new Date(now).toISOString().replace("Z", "000Z") as unknown as Date
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: ownerOf(process.pid), renewTime },
  }
}
