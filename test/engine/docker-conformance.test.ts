import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runConformance } from "../../src/testing/index.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose](), 60_000)

describe("every promise", () => {
  it("F21, Y16: the docker host keeps every promise it makes", async () => {
    // Two at a time: an engine, its containers and the other tests share two cores.
    const { checks } = await runConformance(docker.host(), { concurrency: 2 })
    const broken = checks.filter(({ kept }) => kept === false)
    expect(broken.map(({ id, how }) => `${id}: ${how}`)).toEqual([])
    const notPromised = checks.filter(({ kept }) => kept === null)
    expect(notPromised.map(({ id }) => id)).toEqual(["process-groups.destroy"])
  }, 480_000)
})
