import type { V1Pod } from "@kubernetes/client-node"
import { type Clock, createId } from "../../../../kit/index.ts"
import { userOf } from "../../../host/sandbox-user.ts"
import { kubernetesLimits, warmLimits } from "../../../limits.ts"
import type { Cluster, PatchOperation } from "../cluster/cluster.ts"
import { networkLabel, type PodNetwork } from "../network/closed-policy.ts"
import { objectName, ownerLabel } from "../owners/object-names.ts"
import type { ProcessLease } from "../owners/process-lease.ts"
import { type PodSpec, tokenAnnotation } from "../pods/pod-settings.ts"
import { hasEnded } from "../pods/pod-trouble.ts"
import { preparePod } from "../pods/start-pod.ts"
import { hashOf, type PooledShape } from "./pod-shape.ts"

/** Pods that are ready before anybody asks, of the shapes that were asked for. All Toolkeeps of a namespace share them. */
export interface PodPool {
  /** Has pods of this shape made, as if one had been asked for. */
  keep(pooled: PooledShape): void
  /** One that is ready, which no other Toolkeep gets; null where there is none. */
  take(pooled: PooledShape, network: PodNetwork): Promise<PodSpec | null>
  /** How many were ready when this process last looked. */
  ready(): number
  /** Removes those that this process has made and nobody has taken. */
  close(): Promise<void>
}

export interface PodPoolOptions {
  readonly cluster: Cluster
  readonly lease: ProcessLease
  readonly clock: Clock
  /** How many of each shape, by all Toolkeeps together. */
  readonly most: number
  /** What they have until they are taken. */
  readonly network: PodNetwork
}

/** Which pods are of one shape, and how far each is: "starting", "warm" when its agent has said so, or "taken". */
const shapeLabel = "toolkeep.dev/shape"
const stateLabel = "toolkeep.dev/state"
const waiting = `${stateLabel} in (starting,warm)`

interface KeptShape {
  readonly pooled: PooledShape
  askedMs: number
  filling: Promise<void> | null
  isAskedAgain: boolean
  /** The next request says what is wrong, and tries again. */
  hasFailed: boolean
}

export function createPodPool(options: PodPoolOptions): PodPool {
  const { cluster, lease, clock, most, network: first } = options
  const kept = new Map<string, KeptShape>()
  const readyOf = new Map<string, number>()
  const closing = new AbortController()
  const releaseLease = lease.hold()
  let cancelLook = () => {}

  function ask(pooled: PooledShape): string {
    const hash = hashOf(pooled)
    const known = kept.get(hash)
    kept.delete(hash)
    const fresh = { pooled, filling: null, isAskedAgain: false }
    // The last one that was asked for is the last to go.
    kept.set(hash, Object.assign(known ?? fresh, { askedMs: clock.now(), hasFailed: false }))
    const [oldest = ""] = kept.keys()
    if (kept.size > kubernetesLimits.poolShapes) forget(oldest)
    return hash
  }

  function forget(hash: string): void {
    kept.delete(hash)
    readyOf.delete(hash)
    void removeOwn(`${shapeLabel}=${hash}`).catch(() => {})
  }

  /** One after the other for each shape: two at once would both make what is missing. */
  function refill(hash: string): void {
    const shape = kept.get(hash)
    if (!shape || closing.signal.aborted) return
    if (shape.filling) {
      shape.isAskedAgain = true
      return
    }
    shape.filling = fill(hash, shape)
      .catch(() => {
        shape.hasFailed = true
      })
      .finally(() => {
        shape.filling = null
        const { isAskedAgain } = shape
        shape.isAskedAgain = false
        if (isAskedAgain) refill(hash)
      })
  }

  async function fill(hash: string, { pooled }: KeptShape): Promise<void> {
    const pods = await cluster.podsLabelled(`${shapeLabel}=${hash},${waiting}`)
    const usable = pods.filter((pod) => isFresh(pod, pooled))
    readyOf.set(hash, usable.filter(isWarm).length)
    // Their keepers have ended them, or soon will; nobody is given one.
    const over = pods.filter((pod) => !usable.includes(pod))
    await Promise.all(over.map(remove))
    const missing = Math.min(most - usable.length, kubernetesLimits.poolStarts)
    if (missing <= 0) return
    const made = Array.from({ length: missing }, () => make(hash, pooled))
    const failed = (await Promise.allSettled(made)).find(({ status }) => status === "rejected")
    if (failed?.status === "rejected") throw failed.reason
    const shape = kept.get(hash)
    if (shape && usable.length + missing < most) shape.isAskedAgain = true
  }

  async function make(hash: string, { shape, programs, lent }: PooledShape): Promise<void> {
    const name = objectName("pod")
    const labels = { [shapeLabel]: hash, [stateLabel]: "starting" }
    const token = createId("keeper") + createId("keeper")
    const owner = await lease.name()
    const spec = { ...shape, name, token, owner, labels, user: userOf(name), network: first }
    await preparePod({ spec, cluster, clock, programs, lent, signal: closing.signal })
    if (await cluster.patchPod(name, move("starting", "warm"))) {
      readyOf.set(hash, (readyOf.get(hash) ?? 0) + 1)
    }
  }

  /** That its agent runs it has said itself, before its node does. */
  function isFresh(pod: V1Pod, { shape }: PooledShape): boolean {
    const madeAt = new Date(pod.metadata?.creationTimestamp ?? 0).getTime()
    return !hasEnded(pod) && cluster.now() - madeAt < shape.abandonedMs * kubernetesLimits.poolShare
  }

  /** Another Toolkeep may take it at the same moment; then it is as it was not read. */
  const remove = ({ metadata }: V1Pod) =>
    cluster.removePod(metadata?.name ?? "", metadata?.resourceVersion)

  async function removeOwn(label: string): Promise<void> {
    const own = `${ownerLabel}=${await lease.name()}`
    const pods = await cluster.podsLabelled([own, waiting, label].filter(Boolean).join(","))
    await Promise.all(pods.map(remove))
  }

  function look(): void {
    for (const [hash, { askedMs, hasFailed }] of kept) {
      if (clock.now() - askedMs >= warmLimits.idleMs) forget(hash)
      else if (!hasFailed) refill(hash)
    }
    cancelLook = clock.after(warmLimits.lookMs, look, "idle")
  }
  cancelLook = clock.after(warmLimits.lookMs, look, "idle")

  return {
    keep: (pooled) => refill(ask(pooled)),
    async take(pooled, network) {
      const hash = ask(pooled)
      try {
        const pods = await cluster.podsLabelled(`${shapeLabel}=${hash},${stateLabel}=warm`)
        const usable = pods.filter((pod) => isFresh(pod, pooled))
        // In any order: several Toolkeeps that ask at once are to meet each other rarely.
        for (const pod of usable.sort(() => Math.random() - 0.5)) {
          const owner = await lease.name()
          const patch = [
            ...move("warm", "taken"),
            change(ownerLabel, owner),
            change(networkLabel, network),
          ]
          const taken = await cluster.patchPod(pod.metadata?.name ?? "", patch)
          if (taken) return { ...specOf(taken, pooled), owner, network }
        }
        return null
      } finally {
        refill(hash)
      }
    },
    ready: () => [...readyOf.values()].reduce((sum, count) => sum + count, 0),
    async close() {
      closing.abort(new Error("The pool was closed."))
      cancelLook()
      await Promise.all([...kept.values()].map(({ filling }) => filling))
      await removeOwn("").catch(() => {})
      await releaseLease()
    },
  }
}

const isWarm = ({ metadata }: V1Pod) => metadata?.labels?.[stateLabel] === "warm"

const pathOf = (label: string) => `/metadata/labels/${label.replaceAll("/", "~1")}`

/** What only one of several that try it at once can do. */
function move(from: string, to: string): PatchOperation[] {
  const path = pathOf(stateLabel)
  return [
    { op: "test", path, value: from },
    { op: "replace", path, value: to },
  ]
}

function change(label: string, value: string): PatchOperation {
  return { op: "replace", path: pathOf(label), value }
}

function specOf({ metadata, spec }: V1Pod, { shape }: PooledShape) {
  return {
    ...shape,
    name: metadata?.name ?? "",
    token: metadata?.annotations?.[tokenAnnotation] ?? "",
    user: spec?.securityContext?.runAsUser ?? 0,
  }
}
