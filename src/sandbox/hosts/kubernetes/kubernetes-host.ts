import { join } from "node:path"
import { type Capabilities, ToolFailure } from "../../../contract/index.ts"
import { type Clock, systemClock } from "../../../kit/index.ts"
import { makeDirectories } from "../../../node/index.ts"
import { createProgramInjector } from "../../agent/commands/inject-programs.ts"
import { removeAbandoned } from "../../agent/directory/remove-abandoned.ts"
import { removeTree } from "../../agent/directory/remove-tree.ts"
import { createSweep } from "../../agent/directory/remove-unused-layers.ts"
import { openOwnDirectory } from "../../agent/directory/sandbox-directory.ts"
import { chooseLimits } from "../../host/choose-limits.ts"
import type { Host, HostStatus, Sandbox, SandboxSpec } from "../../host/host.ts"
import {
  noSnapshots,
  permanentFailure,
  requireNetwork,
  requireSnapshots,
  walledCapabilities,
} from "../../host/unsupported.ts"
import { frameLimits, sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import { claimShared } from "../../owners/abandoned.ts"
import { makeWalkable } from "../../owners/shared-directory.ts"
import { injectNode } from "../../programs/inject-node.ts"
import { injectedNode, nodeLanguages } from "../../programs/injected-node.ts"
import { type PackedDirectory, packDirectory } from "../../programs/pack-directory.ts"
import { findRipgrep, placeRipgrep } from "../../programs/ripgrep.ts"
import type { ClusterSettings } from "./cluster/cluster-address.ts"
import { type NetworkProof, readNetworkProof, whyOnlyFull } from "./network/network-proof.ts"
import type { PodPool } from "./pool/pod-pool.ts"
import { warmPods } from "./pool/warm-pods.ts"

export interface KubernetesHostOptions extends ClusterSettings {
  /** The default image of sandboxes, which nodes have or can pull. */
  readonly image: string
  /** Where this machine keeps programs for sandboxes, and what it knows of them. */
  readonly directory: string
  /** An image with Node and a shell, such as "node:24-slim". Without one, this process's Node is sent to each pod. */
  readonly keeperImage?: string | undefined
  /** A RuntimeClass of the cluster. */
  readonly runtimeClass?: string
  /** A StorageClass: each home is then a volume of its own, which outlives its pod. Without one, sandboxes can't sleep. */
  readonly storageClass?: string | undefined
  /** A pod to which no Toolkeep was connected for so long ends by itself. */
  readonly abandonedMs?: number
  /** Connects to the network; tests pass their own. */
  readonly dialer?: Dialer
  readonly clock?: Clock
}

/** Pods of a Kubernetes cluster. */
export function kubernetesHost(options: KubernetesHostOptions): Host {
  const { directory, clock = systemClock, keeperImage = null, storageClass = null } = options
  const { abandonedMs = frameLimits.abandonedMs } = options
  const shared = join(directory, "shared")
  const proof = readNetworkProof(directory)
  const can = capabilities(options, proof)
  const injector = createProgramInjector({ directory: shared, path: process.env.PATH ?? "" })
  const sweep = createSweep(directory, removeTree)
  let opened: ReturnType<typeof open> | null = null

  /** Loaded on first use: other hosts do not pay for this one. */
  const connect = async () => (await import("./cluster/cluster.ts")).connectCluster(options, clock)

  async function open() {
    const cluster = await connect()
    if (proof?.problem === null && proof.cluster !== cluster.shown) {
      throw permanentFailure(
        `The networks of pods were tried in another cluster (${proof.cluster}). \`toolkeep kubernetes networks\` tries them in this one.`,
      )
    }
    const { createProcessLease } = await import("./owners/process-lease.ts")
    const { createSweep: createClusterSweep } = await import("./owners/sweep-leases.ts")
    for (const path of [directory, shared]) makeWalkable(path)
    claimShared(shared)
    const leftovers = createClusterSweep(cluster, storageClass !== null)
    await leftovers.removeUnowned()
    await leftovers.look(null)
    await removeAbandoned(directory)
    const lease = createProcessLease(cluster, clock, leftovers.look)
    const packed = new Map<string, Promise<PackedDirectory>>()
    /** Once for a process. */
    const pack = (path: string) => {
      const known = packed.get(path)
      if (known) return known
      const packing = packDirectory(path, shared)
      packed.set(path, packing)
      packing.catch(() => packed.delete(path))
      return packing
    }
    const programs = async () => (keeperImage === null ? pack(await placePrograms(shared)) : null)
    return { cluster, lease, pack, programs }
  }
  const openOnce = () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }

  const runtimeClass = options.runtimeClass ?? null
  async function create(wanted: SandboxSpec, pool: PodPool | null): Promise<Sandbox> {
    const { keptAs, from } = wanted
    await requireNetwork(can, wanted.network).catch((error) => {
      throw wanted.network && !can.networks.includes(wanted.network.kind)
        ? onlyFull(wanted.network.kind, proof)
        : error
    })
    if (from !== undefined) requireSnapshots(can)
    const limits = chooseLimits(clusterLimits, can.limits, wanted.limits)
    const { cluster, lease, pack, programs } = await openOnce()
    const { createKubernetesSandbox } = await import("./kubernetes-sandbox.ts")
    return createKubernetesSandbox(wanted, {
      ...{ cluster, lease, pool, clock, injector, pack, keeperImage, storageClass, abandonedMs },
      dialer: options.dialer,
      programs: await programs(),
      can: { ...can, limits },
      image: wanted.image ?? options.image,
      runtimeClass,
      own: await openOwnDirectory({ keptAs, from }, { shared: directory, sweep }),
    })
  }

  async function openPool(most: number): Promise<PodPool> {
    const { cluster, lease, programs } = await openOnce()
    const { createPodPool } = await import("./pool/pod-pool.ts")
    const { podShape } = await import("./pool/pod-shape.ts")
    const network = can.networks.includes("none") ? "closed" : "open"
    const pool = createPodPool({ cluster, lease, clock, most, network })
    const limits = chooseLimits(clusterLimits, can.limits, undefined)
    const rest = { image: options.image, keeperImage, runtimeClass, abandonedMs }
    const shape = podShape({ limits }, { ...rest, injected: null, requested: {}, claim: null })
    pool.keep({ shape, programs: await programs(), lent: null })
    return pool
  }

  /** Changes nothing: a cluster is other people's too. */
  async function probe(): Promise<HostStatus> {
    try {
      const cluster = await connect()
      const version = await cluster.version()
      const { neededRights } = await import("./rights.ts")
      const asked = neededRights(storageClass !== null).flatMap((right) =>
        right.verbs.map(async (verb) => {
          const isAllowed = await cluster.allows(verb, right)
          return isAllowed ? [] : [`${verb} ${right.resource}`]
        }),
      )
      const missing = (await Promise.all(asked)).flat()
      const where = `Kubernetes ${version}, ${cluster.shown}`
      const networks = can.networks.includes("none") ? "" : `; ${whyOnlyFull(proof)}`
      if (missing.length === 0) return { kind: "ready", detail: `${where}${networks}` }
      return {
        kind: "unavailable",
        reason: `You may not ${missing.join(", ")} (${where}).`,
        remedy: "`toolkeep kubernetes role` prints a Role with all rights that are needed.",
      }
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      return { kind: "unavailable", reason: error.message, remedy: "Mend it, or use another host." }
    }
  }

  const host: Host = {
    name: "kubernetes",
    summary:
      "Pods of a Kubernetes cluster: any image's programs, own files and processes, limits kept by the node; the network is the cluster's.",
    can,
    canPrepare: "temporary",
    probe,
    images: async () => [options.image],
    removeSnapshot: noSnapshots(can.host),
    create: (spec) => create(spec, null),
  }
  // A home of its own is made with its sandbox, and such a pod with it.
  if (storageClass !== null) return host
  return { ...host, keepWarm: (warm) => warmPods(host, warm, { openPool, create }) }
}

async function placePrograms(shared: string): Promise<string> {
  const programs = join(shared, "bin")
  makeDirectories(programs, 0o755)
  placeRipgrep(join(programs, "rg"))
  await injectNode(programs)
  return programs
}

/** Its nodes may have more than this machine; what none has, the scheduler refuses. */
const clusterLimits = {
  host: "kubernetes",
  most: { memoryBytes: 2 ** 46, processors: 1_024 },
} as const

function onlyFull(kind: string, proof: NetworkProof | null): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `The kubernetes host can't give a sandbox the network "${kind}". ${whyOnlyFull(proof)}`,
    field: "network",
    expected: "full",
  })
}

function capabilities(
  { keeperImage, storageClass }: KubernetesHostOptions,
  proof: NetworkProof | null,
): Capabilities {
  const hasKeeperImage = keeperImage !== undefined
  // Without a volume of its own, the home goes with the pod.
  const isKept = storageClass !== undefined
  const { memoryBytes, diskBytes, processes, processors } = sandboxLimits
  const bash = ["bash", "-c", "--"]
  return {
    host: "kubernetes",
    isolation: "container",
    ...walledCapabilities,
    // Others only where trying has shown that the cluster enforces them.
    networks: proof?.problem === null ? ["none", "allow-list", "full"] : ["full"],
    sleep: isKept,
    durable: isKept,
    snapshots: false,
    checkpoints: false,
    // Where an image has no program for it, opening one fails and says which.
    terminal: true,
    // The Node of the keeper's image may be older than this one.
    languages: hasKeeperImage
      ? { bash, javascript: [injectedNode, "-e"] }
      : { ...nodeLanguages(), bash },
    ripgrep: hasKeeperImage || findRipgrep() === null ? null : "/run/toolkeep-bin/rg",
    limits: { memoryBytes, diskBytes, processes, processors },
  }
}
