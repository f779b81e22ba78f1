import type { RequestOptions } from "node:https"
import { isDeepStrictEqual } from "node:util"
import type {
  V1Lease,
  V1LeaseList,
  V1NetworkPolicy,
  V1PersistentVolumeClaim,
  V1PersistentVolumeClaimList,
  V1Pod,
  V1PodList,
  V1SelfSubjectAccessReview,
} from "@kubernetes/client-node"
import { WebSocket } from "ws"
import { ToolFailure } from "../../../../contract/index.ts"
import { type Clock, sleep, withTimeout } from "../../../../kit/index.ts"
import { permanentFailure } from "../../../host/unsupported.ts"
import { frameLimits, kubernetesLimits } from "../../../limits.ts"
import type { Right } from "../rights.ts"
import { type ClusterSettings, findCluster } from "./cluster-address.ts"
import { ClusterRefusal, clusterFailure, isNotFound, refusalOf } from "./cluster-failure.ts"
import { type ExecConnection, execConnection, execProtocols } from "./exec-connection.ts"
import { createRequests } from "./requests.ts"

/** One namespace of a cluster, as far as sandboxes use it. Every call ends. */
export interface Cluster {
  readonly server: URL
  readonly namespace: string
  /** For people: what it is and where. */
  readonly shown: string
  /** The version of its API server, such as "v1.31.2". */
  version(): Promise<string>
  /** Milliseconds by the clock of its API server. */
  now(): number
  /** Whether the user of the kubeconfig may do this in the namespace. */
  allows(verb: string, right: Pick<Right, "group" | "resource">): Promise<boolean>
  createPod(pod: V1Pod): Promise<V1Pod>
  /** Null when there is none of this name. */
  getPod(name: string): Promise<V1Pod | null>
  /** Changes it where all that the patch tests is so; else null, also when it is gone. */
  patchPod(name: string, patch: readonly PatchOperation[]): Promise<V1Pod | null>
  /** Ends all its processes at once; one that is already gone is fine, and one that is not as it was read is left. */
  removePod(name: string, resourceVersion?: string): Promise<void>
  /** The same, and waits until its node has ended it, which another one may have to for its volume. */
  endPod(name: string): Promise<void>
  podsLabelled(label: string): Promise<readonly V1Pod[]>
  createClaim(claim: V1PersistentVolumeClaim): Promise<void>
  /** One that is already gone is fine. */
  removeClaim(name: string): Promise<void>
  claimsLabelled(label: string): Promise<readonly V1PersistentVolumeClaim[]>
  createLease(lease: V1Lease): Promise<V1Lease>
  /** Null when it has changed since it was read, or is gone. */
  updateLease(lease: V1Lease): Promise<V1Lease | null>
  /** One that is already gone is fine. */
  removeLease(name: string): Promise<void>
  leasesLabelled(label: string): Promise<readonly V1Lease[]>
  /** Has this policy in the namespace; throws where another one has its name. */
  applyPolicy(policy: V1NetworkPolicy): Promise<void>
  /** Starts a program in a container. Throws `ClusterRefusal` where the container can't be asked. */
  exec(target: ExecTarget): Promise<ExecConnection>
}

/** A container did not answer in time, and nobody said why. */
export class ExecLate extends Error {}

/** One of RFC 6902. */
export interface PatchOperation {
  readonly op: "test" | "replace" | "add"
  readonly path: string
  readonly value: string
}

export interface ExecTarget {
  readonly pod: string
  readonly container: string
  readonly command: readonly string[]
  /** How long it may take to start; what another machine needs when absent. */
  readonly startMs?: number
}

export async function connectCluster(settings: ClusterSettings, clock: Clock): Promise<Cluster> {
  const address = await findCluster(settings)
  const { server, namespace, shown } = address
  const { ask, askBare, now } = createRequests(address)
  const base = server.pathname.replace(/\/$/, "")
  const named = encodeURIComponent(namespace)
  const inNamespace = `${base}/api/v1/namespaces/${named}`
  const explain = (error: unknown): never => {
    throw clusterFailure(error, shown)
  }
  const podPath = (name: string) => `${inNamespace}/pods/${encodeURIComponent(name)}`
  const unlessGone = (error: unknown): null => {
    if (isNotFound(error)) return null
    throw error
  }

  const claimPath = (name: string) => `${inNamespace}/persistentvolumeclaims${name}`
  const getPod = (name: string) => ask<V1Pod>("GET", podPath(name)).catch(unlessGone)
  const selecting = (labelSelector: string) => new URLSearchParams({ labelSelector })
  const list = <T>(kind: string, label: string) =>
    ask<T>("GET", `${inNamespace}/${kind}?${selecting(label)}`).catch(explain)
  const leasePath = (name: string) =>
    `${base}/apis/coordination.k8s.io/v1/namespaces/${named}/leases${name}`

  async function open({ pod, container, command }: ExecTarget): Promise<ExecConnection> {
    const query = new URLSearchParams({ container, stdin: "true", stdout: "true", stderr: "true" })
    for (const part of command) query.append("command", part)
    const options: RequestOptions = { headers: {} }
    await address.authenticate(options)
    const url = new URL(`${podPath(pod)}/exec?${query}`, server)
    url.protocol = server.protocol === "http:" ? "ws:" : "wss:"
    const socket = new WebSocket(url, execProtocols, {
      ...(options as object),
      perMessageDeflate: false,
      skipUTF8Validation: true,
      handshakeTimeout: frameLimits.dialMs,
      maxPayload: kubernetesLimits.messageBytesMost,
    })
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(execConnection(socket)))
      socket.once("error", reject)
      socket.once("unexpected-response", async (_request, response) => {
        const pieces: Buffer[] = []
        for await (const piece of response) pieces.push(piece)
        reject(refusalOf(response.statusCode ?? 0, Buffer.concat(pieces).toString()))
      })
    })
  }

  return {
    ...{ server, namespace, shown },
    async version() {
      const { gitVersion } = await ask<{ readonly gitVersion: string }>("GET", `${base}/version`)
      return gitVersion
    },
    now,
    async allows(verb, { group, resource }) {
      const [kind, subresource] = resource.split("/")
      const resourceAttributes = {
        ...{ namespace, verb, group },
        resource: kind,
        ...(subresource && { subresource }),
      }
      const { status } = await ask<V1SelfSubjectAccessReview>(
        "POST",
        `${base}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`,
        {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes },
        },
      ).catch(explain)
      return status?.allowed === true
    },
    createPod: (pod) => ask<V1Pod>("POST", `${inNamespace}/pods`, pod).catch(explain),
    getPod,
    async patchPod(name, patch) {
      try {
        return await askBare<V1Pod>("PATCH", podPath(name), patch)
      } catch (error) {
        // A test that fails is a conflict, or for older servers a patch that can't be processed.
        if (error instanceof ClusterRefusal && [404, 409, 422].includes(error.status)) return null
        return explain(error)
      }
    },
    async removePod(name, resourceVersion) {
      const preconditions = resourceVersion && { preconditions: { resourceVersion } }
      try {
        await askBare("DELETE", podPath(name), { gracePeriodSeconds: 0, ...preconditions })
      } catch (error) {
        const isOther = error instanceof ClusterRefusal && error.status === 409 && preconditions
        if (!isNotFound(error) && !isOther) explain(error)
      }
    },
    async endPod(name) {
      await ask("DELETE", podPath(name), { gracePeriodSeconds: 1 }).catch(unlessGone)
      const deadline = performance.now() + kubernetesLimits.endMs
      while (await getPod(name)) {
        if (performance.now() > deadline) throw notEnded(name)
        await sleep(kubernetesLimits.lookMs, { clock })
      }
    },
    podsLabelled: async (label) => (await list<V1PodList>("pods", label)).items,
    async createClaim(claim) {
      await ask("POST", claimPath(""), claim).catch(explain)
    },
    async removeClaim(name) {
      await ask("DELETE", claimPath(`/${encodeURIComponent(name)}`)).catch(unlessGone)
    },
    claimsLabelled: async (label) =>
      (await list<V1PersistentVolumeClaimList>("persistentvolumeclaims", label)).items,
    createLease: (lease) => ask<V1Lease>("POST", leasePath(""), lease).catch(explain),
    async updateLease(lease) {
      try {
        return await askBare<V1Lease>("PUT", leasePath(`/${lease.metadata?.name}`), lease)
      } catch (error) {
        if (error instanceof ClusterRefusal && [404, 409].includes(error.status)) return null
        return explain(error)
      }
    },
    async removeLease(name) {
      await ask("DELETE", leasePath(`/${name}`)).catch(unlessGone)
    },
    leasesLabelled: async (label) =>
      (await ask<V1LeaseList>("GET", leasePath(`?${selecting(label)}`)).catch(explain)).items,
    async applyPolicy(policy) {
      const policies = `${base}/apis/networking.k8s.io/v1/namespaces/${named}/networkpolicies`
      const { name = "" } = policy.metadata ?? {}
      try {
        await askBare("POST", policies, policy)
      } catch (error) {
        const isThere = error instanceof ClusterRefusal && error.status === 409
        if (!isThere) explain(error)
        const { spec } = await ask<V1NetworkPolicy>("GET", `${policies}/${name}`).catch(explain)
        if (!isDeepStrictEqual(spec, policy.spec)) throw otherPolicy(name)
      }
    },
    async exec(target) {
      const opening = open(target)
      return withTimeout(opening, target.startMs ?? frameLimits.dialMs, {
        otherwise: () => {
          opening.then(({ close }) => close()).catch(() => {})
          throw new ExecLate("The cluster did not connect in time.")
        },
        clock,
      })
    },
  }
}

function otherPolicy(name: string): ToolFailure {
  return permanentFailure(
    `The NetworkPolicy ${name} of the namespace is not the one that Toolkeep makes: remove it.`,
  )
}

function notEnded(pod: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The node of the pod ${pod} has not ended it in time; it may be away.`,
  })
}
