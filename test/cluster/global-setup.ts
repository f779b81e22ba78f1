import { type LocalCluster, startCluster } from "./local/start-cluster.ts"

let cluster: LocalCluster | null = null

/** Tests find the cluster by KUBECONFIG, as users do. */
export async function setup(): Promise<void> {
  if (process.env.KUBECONFIG) return
  const { TOOLKEEP_TEST_KUBE: kube = "", TOOLKEEP_TEST_CLUSTER: stored = "" } = process.env
  cluster = await startCluster(kube, stored)
  process.env.KUBECONFIG = cluster.kubeconfig
}

export async function teardown(): Promise<void> {
  await cluster?.[Symbol.asyncDispose]()
}
