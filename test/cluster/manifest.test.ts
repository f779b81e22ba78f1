import { KubeConfig, type KubernetesObject, KubernetesObjectApi } from "@kubernetes/client-node"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { parseAllDocuments } from "yaml"
import { createWorkspace, kubernetesManifest } from "../../src/sandbox/index.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { storageClass } from "./local/make-volumes.ts"

let cluster: ClusterFixture
let api: KubernetesObjectApi

beforeAll(async () => {
  cluster = await openCluster()
  const config = new KubeConfig()
  config.loadFromDefault()
  api = KubernetesObjectApi.makeApiClient(config)
})

afterAll(() => cluster[Symbol.asyncDispose]())

const objects = (): KubernetesObject[] =>
  parseAllDocuments(kubernetesManifest("1.2.3")).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

it("F21, R12: the API server takes every object of the manifest, as it is", async () => {
  for (const object of objects()) {
    const taken = await api.create(object, undefined, "All", undefined)
    // Nothing is dropped that it does not know: what it stores has all that was written.
    expect(taken).toMatchObject(withoutDefaults(object))
  }
  expect(objects().map(({ kind }) => kind)).toEqual([
    ...["ServiceAccount", "Role", "RoleBinding", "Deployment"],
  ])
})

it("F21, R12: the Role is enough for sandboxes, with volumes, a pool and what others have left", async () => {
  const [, role, binding] = objects()
  const user = { kind: "User", name: "toolkeep", apiGroup: "rbac.authorization.k8s.io" }
  for (const object of [role, { ...binding, subjects: [user] }]) {
    if (!object) throw new Error("The manifest has no role.")
    await api.create(object)
    onTestFinished(async () => {
      await api.delete({ ...object, metadata: { name: "toolkeep", namespace: "default" } })
    })
  }
  const host = cluster.host({ context: "toolkeep", storageClass })
  expect(await host.probe()).toMatchObject({ kind: "ready" })
  const sandbox = await host.create({ name: "test" })
  onTestFinished(() => sandbox.destroy())
  expect((await createWorkspace(sandbox).exec("echo works")).stdout).toBe("works\n")
})

/** Versions are as they were written; the rest is in what the server answers. */
function withoutDefaults({ metadata, ...rest }: KubernetesObject): object {
  return { ...rest, metadata: { name: metadata?.name } }
}
