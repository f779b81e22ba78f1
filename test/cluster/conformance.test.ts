import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { allowLists, idsOf, measureReusing } from "../conformance/conformance-fixture.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { storageClass } from "./local/make-volumes.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

describe("every promise", () => {
  it("F21, R12, Y16: the kubernetes host keeps every promise it makes", async () => {
    // Two at a time: two nodes and their pods share two cores.
    expect(await measureReusing(cluster.host(), { concurrency: 2 })).toEqual({
      broken: [],
      notPromised: [
        "process-groups.destroy",
        // Whether a cluster enforces another network is not known.
        "network.none",
        ...allowLists,
        "code.programs",
        // Homes go with their pods.
        ...idsOf("sleep"),
        ...idsOf("snapshots"),
        ...idsOf("checkpoints"),
      ],
    })
  }, 1_800_000)

  it("F21, R12, Y16: with volumes for homes, it keeps those of sleep too", async () => {
    const only = ["sandbox-life", "sleep", "trees"].flatMap(idsOf)
    const host = cluster.host({ storageClass })
    expect(await measureReusing(host, { concurrency: 2, only })).toEqual({
      broken: [],
      notPromised: [],
    })
  }, 1_800_000)
})
