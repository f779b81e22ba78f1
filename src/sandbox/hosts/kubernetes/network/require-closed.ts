import { ToolFailure } from "../../../../contract/index.ts"
import { type Clock, sleep } from "../../../../kit/index.ts"
import { kubernetesLimits } from "../../../limits.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { findReachable, type NetworkTarget, type RunInside } from "./find-reachable.ts"

/** What each pod can try to reach alone. */
export function loneTargets(cluster: Cluster, node: string | undefined): NetworkTarget[] {
  const { hostname, port } = cluster.server
  return [
    { name: "the API server", host: hostname, port: Number(port || 443) },
    ...(node ? [{ name: "its node", host: node, port: kubeletPort }] : []),
    { name: "the metadata address", host: "169.254.169.254", port: 80 },
  ]
}

const kubeletPort = 10_250

/**
 * Waits until a new pod is closed, and refuses one that is not: a policy may be enforced some time after a pod has started,
 * or not any more.
 */
export async function requireClosed(
  pod: string,
  run: RunInside,
  { cluster, clock }: { readonly cluster: Cluster; readonly clock: Clock },
): Promise<void> {
  const told = () => cluster.getPod(pod).then((found) => found?.status?.hostIP)
  const targets = loneTargets(cluster, await untilTold(told, clock))
  const reached = await untilClosed(() => findReachable(run, targets), clock)
  if (reached.length === 0) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `The cluster does not close the sandbox's network: it reaches ${reached.join(", ")}. \`toolkeep kubernetes networks\` tries it again.`,
  })
}

/** A node tells the API server of a pod some time after the pod itself has answered. */
export async function untilTold<T>(
  look: () => Promise<T | undefined>,
  clock: Clock,
): Promise<T | undefined> {
  const deadline = performance.now() + kubernetesLimits.closeMs
  for (;;) {
    const found = await look()
    if (found !== undefined || performance.now() > deadline) return found
    await sleep(kubernetesLimits.retryMs, { clock })
  }
}

/** What is still reached when there was time to close it. */
export async function untilClosed(
  look: () => Promise<readonly string[]>,
  clock: Clock,
): Promise<readonly string[]> {
  const deadline = performance.now() + kubernetesLimits.closeMs
  for (;;) {
    const reached = await look()
    if (reached.length === 0 || performance.now() > deadline) return reached
    await sleep(kubernetesLimits.lookMs, { clock })
  }
}
