import { mkdirSync, rmSync } from "node:fs"
import { ToolFailure } from "../../../../contract/index.ts"
import { type Clock, createDeadline, errorText, sleep, withAbort } from "../../../../kit/index.ts"
import { connectAgent } from "../../../agent/commands/agent.ts"
import { keepComplaint, UnfitImage } from "../../../agent/commands/require-programs.ts"
import type { Inside } from "../../../agent/create-agent-sandbox.ts"
import { connectKeeper, KeeperGone, KeeperSilent } from "../../../agent/frames/connect-keeper.ts"
import { joinKeeper } from "../../../agent/frames/keeper-program.ts"
import { permanentFailure } from "../../../host/unsupported.ts"
import { frameLimits, kubernetesLimits } from "../../../limits.ts"
import type { PackedDirectory } from "../../../programs/pack-directory.ts"
import { type Cluster, ExecLate } from "../cluster/cluster.ts"
import { ClusterRefusal } from "../cluster/cluster-failure.ts"
import { firstWord, type LoadOptions, loadPrograms } from "./load-programs.ts"
import { containers, type PodSpec, podSettings } from "./pod-settings.ts"
import { hasEnded, podTrouble } from "./pod-trouble.ts"

export interface PodStartOptions {
  readonly spec: PodSpec
  readonly cluster: Cluster
  readonly clock: Clock
  /** Toolkeep's programs; null where the keeper's image has them. */
  readonly programs: PackedDirectory | null
  /** What the image lacks. */
  readonly lent: PackedDirectory | null
}

export interface SandboxPodOptions extends PodStartOptions {
  /** Is there on this machine while the sandbox is awake. */
  readonly mark: string
  /** The pod is there already, and waits for its first connection. */
  readonly isMade: boolean
}

/** A pod whose sandbox is the agent, and whose keeper this process speaks with. */
export async function startPod(options: SandboxPodOptions): Promise<Inside> {
  const { spec, cluster, clock } = options
  const { name, image, token } = spec
  mkdirSync(options.mark, { recursive: true })
  let closeLink = () => {}
  const stop = async () => {
    // The pod that mounts its volume next must be alone.
    const end = spec.claim === null ? cluster.removePod : cluster.endPod
    await end(name).finally(() => closeLink())
    rmSync(options.mark, { recursive: true, force: true })
  }
  using deadline = createDeadline(kubernetesLimits.readyMs, { clock, reason: () => late(image) })
  const over = new AbortController()
  const signal = AbortSignal.any([deadline.signal, over.signal])

  try {
    if (!options.isMade) await cluster.createPod(podSettings(spec))
    watchStart(options, over, signal)
    if (!options.isMade) await loadPrograms(loadOptions(options, signal))
    const connection = connectKeeper({
      ...{ token, clock, slots: frameLimits.slots, lostMs: kubernetesLimits.lostMs },
      dial: () => dial(cluster, name),
    })
    closeLink = connection.close
    await withAbort(connection.ready, signal)
    const complaint = keepComplaint(connection.answers)
    const kill = () => cluster.removePod(name).catch(closeLink)
    const agent = connectAgent({ ...connection, kill })
    await withAbort(agent.ready, signal).catch((error: unknown) => {
      if (complaint() === "") throw error instanceof ToolFailure ? error : notStarted(image)
      throw new UnfitImage(image, complaint(), { hasBash: true })
    })
    connection.seal()
    return {
      ...{ agent, exchange: connection.exchange, disk: connection.disk, stop },
      // Of another machine: its numbers mean nothing here.
      firstProcess: async () => null,
      locate: async () => null,
      usage: async () => (agent.isGone() ? null : notTold),
    }
  } catch (error) {
    // The reason it failed says more than that its remains can't be removed either.
    await stop().catch(() => {})
    throw error
  } finally {
    over.abort()
  }
}

function loadOptions(options: PodStartOptions, signal: AbortSignal): LoadOptions {
  const { name, image, keeperImage } = options.spec
  return { ...options, pod: name, image: keeperImage ?? image, signal }
}

/** Makes a pod that waits for its first connection, and for the word of its agent. Removes what did not become one. */
export async function preparePod(
  options: PodStartOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { spec, cluster, clock } = options
  const { name, image } = spec
  using deadline = createDeadline(kubernetesLimits.readyMs, { clock, reason: () => late(image) })
  const over = new AbortController()
  const signal = AbortSignal.any([deadline.signal, over.signal, options.signal])
  try {
    signal.throwIfAborted()
    await cluster.createPod(podSettings(spec))
    watchStart(options, over, signal)
    const load = loadOptions(options, signal)
    await loadPrograms(load)
    const word = await firstWord(load)
    signal.throwIfAborted()
    if (word !== "ready") throw new UnfitImage(image, word, { hasBash: true })
  } catch (error) {
    await cluster.removePod(name).catch(() => {})
    throw error
  } finally {
    over.abort()
  }
}

const unknown = { unknown: "the cluster does not tell it" }
const notTold = { cpuMs: unknown, memoryBytes: unknown, processes: unknown }

/** Looks at the pod until it has started, and ends the start with what is wrong. */
async function watchStart(
  { cluster, clock, spec }: PodStartOptions,
  over: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now()
  while (!signal.aborted) {
    await sleep(kubernetesLimits.lookMs, { signal, clock }).catch(() => {})
    if (signal.aborted) return
    try {
      const trouble = podTrouble(await cluster.getPod(spec.name), performance.now() - began)
      if (trouble) over.abort(trouble)
    } catch {
      // An API server that is away for a moment says nothing about the pod.
    }
  }
}

async function dial(cluster: Cluster, pod: string) {
  const startMs = kubernetesLimits.redialMs
  try {
    return await cluster.exec({ pod, container: containers.keeper, command: joinKeeper, startMs })
  } catch (error) {
    // A node that was just started says of its pods that they are not there: only the API server is believed.
    const found = await cluster.getPod(pod)
    if (!found || hasEnded(found)) throw new KeeperGone(errorText(error))
    throw isNodeSilent(error) ? new KeeperSilent(errorText(error)) : error
  }
}

/** Nothing has refused the connection, and the API server answers. */
function isNodeSilent(error: unknown): boolean {
  if (error instanceof ExecLate) return true
  return error instanceof ClusterRefusal && /i\/o timeout|no route to host/.test(error.message)
}

function late(image: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The pod of a sandbox with the image ${JSON.stringify(image)} took too long to start.`,
  })
}

/** Neither the cluster nor the image says why. */
function notStarted(image: string): ToolFailure {
  return permanentFailure(
    `The agent did not start in a pod of the image ${JSON.stringify(image)}; its node has to start it with the seccomp profile RuntimeDefault.`,
  )
}
