import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { conformanceChecks } from "../../src/testing/index.ts"
import { runPatiently, summarize } from "../conformance/conformance-fixture.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"
import { leaveOnlyFiles, reuseSandboxes } from "./reuse-sandboxes.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose](), 60_000)

describe("every promise", () => {
  it("F21, Y16: the docker host keeps every promise it makes", async () => {
    const topics = [...new Set(conformanceChecks.map(({ id }) => id.split(".")[0] ?? id))]
    const others = topics.filter((topic) => !leaveOnlyFiles.includes(topic))
    // Two at a time: an engine, its containers and the other tests share two cores.
    const concurrency = 2
    await using reused = reuseSandboxes(docker.host())
    const reports = [
      await runPatiently(reused, { concurrency, only: leaveOnlyFiles }),
      await runPatiently(docker.host(), { concurrency, only: others }),
    ]
    const checks = reports.flatMap((report) => report.checks)
    expect(checks.map(({ id }) => id).sort()).toEqual(conformanceChecks.map(({ id }) => id).sort())
    expect(summarize(checks)).toEqual({ broken: [], notPromised: ["process-groups.destroy"] })
  }, 900_000)
})
