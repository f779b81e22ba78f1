import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { tryNetworks } from "../../src/sandbox/hosts/kubernetes/try-networks.ts"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { image, keeperImage } from "./images.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

describe("a cluster that does not enforce policies", () => {
  it("C18, F21, R12: is found out with two pods, and the host says why it has only its network", async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-networks-"))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const why = /^The cluster does not enforce NetworkPolicies: .*a pod reaches another pod, /
    const untried = cluster.host({ directory })
    expect(untried.can.networks).toEqual(["full"])
    await expect(untried.create({ name: "test", network: { kind: "none" } })).rejects.toThrow(
      "Nobody has tried whether the cluster enforces NetworkPolicies. `toolkeep kubernetes networks` tries it.",
    )
    const { problem } = await tryNetworks({ directory, image, keeperImage })
    expect(problem).toMatch(why)
    expect(await cluster.pods()).toEqual([])
    const host = cluster.host({ directory })
    expect(host.can.networks).toEqual(["full"])
    expect(await host.probe()).toMatchObject({
      kind: "ready",
      detail: expect.stringContaining("The cluster does not enforce NetworkPolicies"),
    })
    const sandbox = await host.create({ name: "test" })
    onTestFinished(() => sandbox.destroy())
    expect((await createWorkspace(sandbox).exec("echo works")).stdout).toBe("works\n")
  })
})
