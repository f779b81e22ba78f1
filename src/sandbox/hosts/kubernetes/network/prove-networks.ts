import type { V1Pod } from "@kubernetes/client-node"
import type { Clock } from "../../../../kit/index.ts"
import type { Host, Sandbox } from "../../../host/host.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { toolkeepLabel } from "../owners/object-names.ts"
import { closedPolicy, networkLabel } from "./closed-policy.ts"
import {
  commandOf,
  findReachable,
  listenCommand,
  listenPort,
  type RunInside,
} from "./find-reachable.ts"
import type { NetworkProof } from "./network-proof.ts"
import { loneTargets, untilClosed, untilTold } from "./require-closed.ts"

export interface ProveOptions {
  /** Whose sandboxes have the network of the cluster. */
  readonly host: Host
  readonly cluster: Cluster
  readonly clock: Clock
}

/**
 * Tries whether the cluster enforces a policy that closes pods: two pods that reach each other, one of which is closed then.
 * What it reached before, it must not reach any more, and nobody must reach it.
 */
export async function proveNetworks({ host, cluster, clock }: ProveOptions): Promise<NetworkProof> {
  await cluster.applyPolicy(closedPolicy)
  const sandboxes = await Promise.all(
    ["one", "other"].map((name) => host.create({ name, network: { kind: "full" } })),
  )
  const over = new AbortController()
  try {
    const find = (addresses: readonly string[]) => {
      const look = async () => {
        const pods = await cluster.podsLabelled(toolkeepLabel)
        return pods.find(({ status }) => addresses.includes(status?.podIP ?? ""))
      }
      return untilTold(look, clock)
    }
    const [one, other] = await Promise.all(
      sandboxes.map((sandbox) => listenIn(sandbox, find, over.signal)),
    )
    if (!one || !other) throw new Error("No two pods were started.")
    const targets = [target("another pod", other), ...loneTargets(cluster, one.node)]
    const outwards = () => findReachable(one.run, targets)
    const inwards = () => findReachable(other.run, [target("the closed pod", one)])
    const before = await outwards()
    const answer = (closed: readonly string[], problem: string | null) => {
      return { cluster: cluster.shown, at: Date.now(), closed, problem }
    }
    const areJoined = before.includes("another pod") && (await inwards()).includes("the closed pod")
    const alone = before.filter((name) => name !== "another pod")
    if (!areJoined || alone.length === 0) return answer([], nothingShown)
    const path = `/metadata/labels/${networkLabel.replaceAll("/", "~1")}`
    await cluster.patchPod(one.name, [{ op: "replace", path, value: "closed" }])
    // The other one's name servers are its own.
    const look = async () => [
      ...(await outwards()),
      ...(await inwards()).filter((name) => name === "the closed pod"),
    ]
    const after = await untilClosed(look, clock)
    return after.length === 0 ? answer(alone, null) : answer([], notEnforced(after))
  } finally {
    over.abort()
    await Promise.all(sandboxes.map((sandbox) => sandbox.destroy()))
  }
}

const nothingShown =
  "Pods of this namespace reach neither each other nor anything else, so that nothing shows whether a policy is enforced."

function notEnforced(reached: readonly string[]): string {
  return `The cluster does not enforce NetworkPolicies: behind one that closes it, a pod reaches ${reached.join(", ")}.`
}

interface ListeningPod {
  readonly name: string
  readonly address: string
  readonly node: string | undefined
  readonly run: RunInside
}

const target = (name: string, { address }: ListeningPod) => ({
  ...{ name, host: address, port: listenPort },
})

async function listenIn(
  sandbox: Sandbox,
  find: (addresses: readonly string[]) => Promise<V1Pod | undefined>,
  signal: AbortSignal,
): Promise<ListeningPod> {
  const said = Promise.withResolvers<string>()
  sandbox
    .perform(commandOf(listenCommand), {
      signal,
      graceMs: () => 0,
      onOutput: ({ bytes }) => said.resolve(Buffer.from(bytes).toString()),
    })
    .then(() => said.reject(new Error("A pod can't listen.")), said.reject)
  const addresses: readonly string[] = JSON.parse(await said.promise)
  const pod = await find(addresses)
  if (!pod) throw new Error("A pod does not have the address that the cluster says.")
  return {
    name: pod.metadata?.name ?? "",
    address: pod.status?.podIP ?? "",
    node: pod.status?.hostIP,
    async run(command) {
      const control = { signal: new AbortController().signal, onOutput: () => {} }
      const { stdout } = await sandbox.perform(commandOf(command), control)
      return Buffer.from(stdout.head).toString()
    },
  }
}
