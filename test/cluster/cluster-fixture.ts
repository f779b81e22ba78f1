import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import { type Cluster, connectCluster } from "../../src/sandbox/hosts/kubernetes/cluster/cluster.ts"
import {
  type KubernetesHostOptions,
  kubernetesHost,
} from "../../src/sandbox/hosts/kubernetes/kubernetes-host.ts"
import { createWorkspace, type Host, type Sandbox } from "../../src/sandbox/index.ts"
import { image, keeperImage } from "./images.ts"

/** The cluster of KUBECONFIG, and hosts on it. */
export interface ClusterFixture extends AsyncDisposable {
  /** As its administrator sees it. */
  readonly cluster: Cluster
  host(other?: Partial<KubernetesHostOptions>): Host
  /** A sandbox that goes with the test. */
  open(
    other?: Partial<KubernetesHostOptions>,
  ): Promise<{ readonly sandbox: Sandbox; readonly workspace: Workspace }>
  /** The names of all pods of sandboxes. */
  pods(): Promise<readonly string[]>
}

export async function openCluster(): Promise<ClusterFixture> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-kubernetes-"))
  const cluster = await connectCluster({}, systemClock)
  const host = (other: Partial<KubernetesHostOptions> = {}) =>
    kubernetesHost({ image, keeperImage, directory, ...other })
  return {
    cluster,
    host,
    async open(other) {
      const sandbox = await host(other).create({ name: "test" })
      onTestFinished(() => sandbox.destroy())
      return { sandbox, workspace: createWorkspace(sandbox) }
    },
    async pods() {
      const all = await cluster.podsLabelled("toolkeep.dev/sandbox")
      return all.map(({ metadata }) => metadata?.name ?? "")
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
    },
  }
}
