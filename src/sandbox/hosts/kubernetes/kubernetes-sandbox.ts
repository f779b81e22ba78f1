import { join } from "node:path"
import type { Capabilities, Network } from "../../../contract/index.ts"
import { type Clock, createId } from "../../../kit/index.ts"
import type { ProgramInjector } from "../../agent/commands/inject-programs.ts"
import { runCommand } from "../../agent/commands/run-command.ts"
import type { Inside } from "../../agent/create-agent-sandbox.ts"
import { exchangeName } from "../../agent/directory/remove-abandoned.ts"
import type { OwnDirectory } from "../../agent/directory/sandbox-directory.ts"
import { networkDeps } from "../../agent/network/sandbox-network.ts"
import type { CommandOutput } from "../../commands/watch-command.ts"
import type { Sandbox, SandboxSpec } from "../../host/host.ts"
import { userOf } from "../../host/sandbox-user.ts"
import {
  noSnapshots,
  permanentFailure,
  requireNetwork,
  unsupported,
} from "../../host/unsupported.ts"
import { sandboxLimits } from "../../limits.ts"
import type { Dialer } from "../../network/dialer.ts"
import type { PackedDirectory } from "../../programs/pack-directory.ts"
import type { Cluster } from "./cluster/cluster.ts"
import { commandOf } from "./network/find-reachable.ts"
import { requireClosed } from "./network/require-closed.ts"
import { objectName } from "./owners/object-names.ts"
import type { ProcessLease } from "./owners/process-lease.ts"
import { claimOf, claimSettings } from "./pods/home-claim.ts"
import type { PodSpec } from "./pods/pod-settings.ts"
import { startPod } from "./pods/start-pod.ts"
import type { PodPool } from "./pool/pod-pool.ts"
import { podShape } from "./pool/pod-shape.ts"

export interface KubernetesSandboxDeps {
  readonly cluster: Cluster
  readonly lease: ProcessLease
  /** Pods that are ready; null where none are made beforehand. */
  readonly pool: PodPool | null
  readonly clock: Clock
  readonly can: Capabilities
  readonly image: string
  readonly own: OwnDirectory
  readonly injector: ProgramInjector
  readonly runtimeClass: string | null
  readonly keeperImage: string | null
  /** A pod without a connection for so long ends. */
  readonly abandonedMs: number
  /** Where homes have volumes of their own; null where they are their pods'. */
  readonly storageClass: string | null
  /** Toolkeep's own programs; null where the keeper's image has them. */
  readonly programs: PackedDirectory | null
  readonly pack: (directory: string) => Promise<PackedDirectory>
  readonly dialer: Dialer | undefined
}

/** A sandbox that is a pod. Its home is a volume of its own, or one of the pod's that goes with it. */
export async function createKubernetesSandbox(
  wanted: SandboxSpec,
  deps: KubernetesSandboxDeps,
): Promise<Sandbox> {
  const { cluster, lease, clock, can, image, own, programs, storageClass } = deps
  const { keeperImage, abandonedMs, runtimeClass } = deps
  const claim = storageClass === null ? null : claimOf(own)
  const diskBytes = can.limits.diskBytes ?? sandboxLimits.diskBytes
  const releaseLease = lease.hold()
  if (claim !== null && own.isEmpty) {
    try {
      const owner = own.isKept() ? null : await lease.name()
      await cluster.createClaim(claimSettings(claim, { diskBytes, storageClass, owner }))
    } catch (error) {
      await own.discard()
      await releaseLease()
      throw error
    }
  }
  const removeClaim = async () => {
    if (claim !== null) await cluster.removeClaim(claim)
  }
  const first = wanted.network ?? firstNetwork(can)
  let isFull = first.kind === "full"
  let hasStarted = false
  const start = async (kind: Network["kind"]) => {
    // An empty home in the place of the one that is lost would be taken for it.
    if (hasStarted && claim === null) throw filesLost()
    const started = await deps.injector.start(image, async (injected) => {
      const lent = injected && (await deps.pack(injected.directory))
      const requested = wanted.limits ?? {}
      const shape = podShape(can, {
        ...{ image, keeperImage, injected, requested, runtimeClass, claim, abandonedMs },
      })
      const mark = join(own.path, exchangeName)
      const options = { cluster, clock, programs, lent, mark }
      const network = kind === "full" ? "open" : "closed"
      const open = async (spec: PodSpec, isMade: boolean) => {
        const inside = await startPod({ ...options, spec, isMade })
        if (network === "open") return inside
        const run = (command: readonly string[]) => runInside(inside, command, clock)
        return requireClosed(spec.name, run, { cluster, clock }).then(
          () => inside,
          async (error) => {
            await inside.stop()
            throw error
          },
        )
      }
      const taken = await deps.pool?.take({ shape, programs, lent }, network)
      if (taken) {
        try {
          return await open(taken, true)
        } catch {
          // It has ended meanwhile, or its node is away: one that is made now says what is wrong.
        }
      }
      const spec = {
        ...shape,
        network,
        name: objectName("pod"),
        token: createId("keeper") + createId("keeper"),
        owner: await lease.name(),
        user: userOf(own.path),
      } as const
      return open(spec, false)
    })
    hasStarted = true
    return started
  }
  const { createAgentSandbox } = await import("../../agent/create-agent-sandbox.ts")
  const sandbox = await createAgentSandbox({
    ...{ name: wanted.name, image, can, clock, start },
    isRemote: true,
    directory: own.path,
    isEmpty: own.isEmpty,
    discard: async () => {
      if (own.isEmpty) await removeClaim()
      await own.discard()
      await releaseLease()
    },
    remove: async () => {
      await removeClaim()
      await own.remove()
      await releaseLease()
    },
    holdFiles: noSnapshots(can.host),
    recordFiles: noSnapshots(can.host),
    freeLayers: async () => {},
    room: wanted.room,
    sharedUse: async () => new Map(),
    reach: {
      ...networkDeps(
        { ...wanted, network: first },
        { user: null, programs: "", dialer: deps.dialer },
      ),
      // It is among the programs that the pod was given.
      injectNode: async () => {},
    },
  })
  if (claim !== null) return sandbox
  return {
    ...sandbox,
    sleep: async () => {
      throw unsupported(can.host, "let a sandbox sleep: its files are its pod's")
    },
    async setNetwork(next) {
      await requireNetwork(can, next)
      // What is connected would stay so, and another pod would have other files.
      if ((next.kind === "full") !== isFull) {
        throw unsupported(
          can.host,
          "change the network of a sandbox to or from full: its files are its pod's",
        )
      }
      await sandbox.setNetwork(next)
      isFull = next.kind === "full"
    },
  }
}

function firstNetwork({ networks }: Capabilities): Network {
  return networks[0] === "none" ? { kind: "none" } : { kind: "full" }
}

/** Before anybody else can run anything. */
async function runInside(inside: Inside, command: readonly string[], clock: Clock) {
  const { agent, exchange } = inside
  const never = new AbortController().signal
  const scope = { agent, exchange, clock, closing: never, leftOpen: new Set<CommandOutput>() }
  const { stdout } = await runCommand(
    commandOf(command),
    { signal: never, onOutput: () => {} },
    { ...scope, fileBytes: 0 },
  )
  return Buffer.from(stdout.head).toString()
}

function filesLost() {
  return permanentFailure(
    "The sandbox's pod has ended, and its files with it. Create another sandbox.",
  )
}
