import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { KubernetesHostOptions } from "../../src/sandbox/hosts/kubernetes/kubernetes-host.ts"
import type { SandboxSpec } from "../../src/sandbox/index.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { images } from "./local/build-images.ts"

let cluster: ClusterFixture
let api: CoreV1Api

beforeAll(async () => {
  cluster = await openCluster()
  const config = new KubeConfig()
  config.loadFromDefault()
  api = config.makeApiClient(CoreV1Api)
})

afterAll(() => cluster[Symbol.asyncDispose]())

/** What a sandbox is refused with, and that it was soon and leaves nothing. */
async function refusal(
  options: Partial<KubernetesHostOptions>,
  spec: Partial<SandboxSpec> = {},
): Promise<string> {
  const began = performance.now()
  const error = await cluster
    .host(options)
    .create({ name: "test", ...spec })
    .then(
      () => new Error("nothing was refused"),
      (reason: Error) => reason,
    )
  // On an idle machine 10 s; a busy one has a minute.
  expect(performance.now() - began).toBeLessThan(60_000)
  expect(await cluster.pods()).toEqual([])
  return error.message
}

/** A copy of the kubeconfig, changed. */
function kubeconfigWith(change: (text: string) => string): string {
  const config = new KubeConfig()
  config.loadFromDefault()
  const path = join(tmpdir(), `kubeconfig-${process.pid}-${performance.now()}`)
  writeFileSync(path, change(config.exportConfig()))
  return path
}

describe("what is wrong or missing is said soon, and leaves nothing", () => {
  it("R12: no kubeconfig", async () => {
    expect(await refusal({ kubeconfig: "/nowhere/config" })).toBe(
      "There is no kubeconfig /nowhere/config: set KUBECONFIG to one that is there.",
    )
  })

  it("R12: no such context", async () => {
    expect(await refusal({ context: "nowhere" })).toMatch(
      /^The kubeconfig has no context "nowhere"; it has: /,
    )
  })

  it("R12: an expired token", async () => {
    const kubeconfig = kubeconfigWith((text) => text.replaceAll("admin-token", "expired-token"))
    expect(await refusal({ kubeconfig })).toMatch(
      /^The cluster does not accept these credentials .* Log in to the cluster again\.$/,
    )
  })

  it("R12: an API server that is not there", async () => {
    const kubeconfig = kubeconfigWith((text) =>
      text.replace(/https:\/\/[^"\s]+/, "https://127.0.0.1:1"),
    )
    expect(await refusal({ kubeconfig })).toMatch(/^The Kubernetes API server does not answer /)
  })

  it("R12: a missing right, which is named", async () => {
    expect(await refusal({ context: "toolkeep" })).toMatch(
      /^The cluster refused: .*cannot list resource "pods" .* in the namespace "default"\. `toolkeep kubernetes role` prints a Role with all rights that are needed\.$/,
    )
  })

  it("R12: all missing rights, before anything is made", async () => {
    expect(await cluster.host({ context: "toolkeep", storageClass: "any" }).probe()).toMatchObject({
      kind: "unavailable",
      reason: expect.stringMatching(
        /^You may not create pods, .*, get pods\/exec, create leases, .*, create persistentvolumeclaims, /,
      ),
    })
  })

  it("R12: no such namespace", async () => {
    expect(await refusal({ namespace: "nowhere" })).toBe(
      'The cluster refused: namespaces "nowhere" not found.',
    )
  })

  it("R12: an image that nobody has", async () => {
    expect(await refusal({}, { image: "127.0.0.1:1/none:1" })).toMatch(
      /^The cluster can't get the image "127\.0\.0\.1:1\/none:1": /,
    )
  })

  it("R12: limits that no node has, with the scheduler's reason", async () => {
    expect(await refusal({}, { limits: { memoryBytes: 2 ** 44 } })).toMatch(
      /^No node of the cluster takes the sandbox: .*Insufficient memory/,
    )
  })

  it("R12: a quota", async () => {
    const metadata = { name: "full" }
    await api.createNamespace({ body: { metadata } })
    onTestFinished(async () => {
      await api.deleteNamespace({ name: "full" })
    })
    const body = { metadata, spec: { hard: { pods: "0" } } }
    await api.createNamespacedResourceQuota({ namespace: "full", body })
    await expect
      .poll(() => refusal({ namespace: "full" }))
      .toMatch(/^The cluster refused: .*exceeded quota: full/)
  })

  it("R12: an unknown runtime class, and never another instead", async () => {
    expect(await refusal({ runtimeClass: "nothing" })).toMatch(
      /^The cluster refused: .*RuntimeClass "nothing" not found/,
    )
  })

  it("R12: an image without a shell", async () => {
    expect(await refusal({}, { image: images.empty })).toMatch(
      /^No sandbox can be created from the image .*toolkeep-empty:local.*: /,
    )
  })

  it("R12: a name of 63 characters is no problem", async () => {
    const sandbox = await cluster.host().create({ name: "n".repeat(63) })
    await sandbox.destroy()
    expect(await cluster.pods()).toEqual([])
  })
})
