import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { idsOf, measureReusing } from "../conformance/conformance-fixture.ts"
import { openRemote, type RemoteFixture } from "./remote-fixture.ts"

let remote: RemoteFixture

beforeAll(async () => {
  remote = await openRemote()
}, 120_000)

afterAll(() => remote[Symbol.asyncDispose]())

/** Where a stream of bytes in the place of pipes could make a difference. CONTRIBUTING.md says how to run all others. */
const topics = [
  ...["output", "output-limits", "live-output", "timeouts", "abort", "process-groups", "stdin"],
  ...["concurrency", "file-ranges", "sandbox-life", "network", "trees", "transfer", "background"],
  ...["terminal", "ports", "sleep", "snapshots"],
]

describe("promises over one stream of bytes", () => {
  it("F21, Y16: the docker host keeps on an engine elsewhere what it promises there", async () => {
    const only = topics.flatMap(idsOf)
    expect(await measureReusing(remote.host(), { concurrency: 2, only })).toEqual({
      broken: [],
      // Nobody here sees the files there, which are what snapshots hold.
      notPromised: ["process-groups.destroy", ...idsOf("snapshots")],
    })
  }, 900_000)
})
