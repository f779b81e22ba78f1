import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runConformance } from "../../src/testing/index.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 60_000)

afterAll(() => docker[Symbol.asyncDispose](), 60_000)

describe("every promise", () => {
  it("F21, Y16: the docker host keeps every promise it makes", async () => {
    // Two at a time: an engine, its containers and the other tests share two cores.
    const { checks } = await runConformance(docker.host(), { concurrency: 2 })
    const suspects = checks.filter(({ kept }) => kept === false).map(({ id }) => id)
    // An engine of its own and its containers share two cores with the other tests: what looks broken in
    // that crowd is measured once more, alone, and has to be kept then.
    const again =
      suspects.length === 0
        ? []
        : (await runConformance(docker.host(), { only: suspects, concurrency: 1 })).checks
    const broken = again.filter(({ kept }) => kept === false)
    expect(broken.map(({ id, how }) => `${id}: ${how}`)).toEqual([])
    const notPromised = checks.filter(({ kept }) => kept === null)
    expect(notPromised.map(({ id }) => id)).toEqual(["process-groups.destroy"])
  }, 240_000)
})
