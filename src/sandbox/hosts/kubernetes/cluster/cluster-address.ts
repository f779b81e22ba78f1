import { existsSync } from "node:fs"
import type { RequestOptions } from "node:https"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import type { KubeConfig } from "@kubernetes/client-node"
import { errorText } from "../../../../kit/index.ts"
import { packageProblem } from "../../../../node/index.ts"
import { permanentFailure } from "../../../host/unsupported.ts"

export interface ClusterSettings {
  /** A kubeconfig; found when absent: by KUBECONFIG, in ~/.kube/config, or as what a pod of the cluster is given. */
  readonly kubeconfig?: string
  /** A context of that kubeconfig; its current one when absent. */
  readonly context?: string
  /** Where sandboxes are made; the context's when absent. */
  readonly namespace?: string
}

/** Where the API server of a cluster is, and how it knows who asks. */
export interface ClusterAddress {
  readonly server: URL
  readonly namespace: string
  /** For people: the context, and where it leads. */
  readonly shown: string
  /** Fills in what authenticates a request, which may be a token that expires. */
  authenticate(options: RequestOptions): Promise<void>
}

/** Where a pod finds what the cluster gives to it. */
const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount"

export async function findCluster(settings: ClusterSettings): Promise<ClusterAddress> {
  const problem = packageProblem("The kubernetes host", ["@kubernetes/client-node"])
  if (problem !== null) throw permanentFailure(problem)
  const config = await loadConfig(settings)
  const { context } = settings
  if (context !== undefined) {
    const known = config.getContexts().map(({ name }) => name)
    if (!known.includes(context)) {
      throw permanentFailure(
        `The kubeconfig has no context ${JSON.stringify(context)}; it has: ${known.join(", ")}.`,
      )
    }
    config.setCurrentContext(context)
  }
  const cluster = config.getCurrentCluster()
  if (!cluster) {
    throw permanentFailure(
      "The kubeconfig has no current context: choose one with `kubectl config use-context`.",
    )
  }
  const named = config.getContextObject(config.getCurrentContext())
  const namespace = settings.namespace ?? (named?.namespace || "default")
  return {
    server: new URL(cluster.server),
    namespace,
    shown: `${config.getCurrentContext()} at ${cluster.server}, namespace ${namespace}`,
    authenticate: (options) => config.applyToHTTPSOptions(options),
  }
}

async function loadConfig({ kubeconfig }: ClusterSettings): Promise<KubeConfig> {
  const files = kubeconfig === undefined ? configFiles() : [kubeconfig]
  const missing = files.find((file) => !existsSync(file))
  if (missing !== undefined) {
    throw permanentFailure(
      `There is no kubeconfig ${missing}: set KUBECONFIG to one that is there.`,
    )
  }
  if (files.length === 0 && !existsSync(join(accountDirectory, "token"))) {
    throw permanentFailure(
      "There is no kubeconfig: set KUBECONFIG, or write ~/.kube/config as your cluster's provider says.",
    )
  }
  const { KubeConfig } = await import("@kubernetes/client-node")
  const config = new KubeConfig()
  try {
    if (kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(kubeconfig)
  } catch (cause) {
    throw permanentFailure(`The kubeconfig can't be read: ${errorText(cause)}`, { cause })
  }
  return config
}

function configFiles(): string[] {
  const named = process.env.KUBECONFIG?.split(delimiter).filter((file) => file !== "") ?? []
  if (named.length > 0) return named
  const file = join(homedir(), ".kube", "config")
  return existsSync(file) ? [file] : []
}
