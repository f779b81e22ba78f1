import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { measureReusing } from "../conformance/conformance-fixture.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose]())

describe("every promise", () => {
  it("F21, Y16: the docker host keeps every promise it makes", async () => {
    // Two at a time: an engine, its containers and the other tests share two cores.
    expect(await measureReusing(docker.host(), { concurrency: 2 })).toEqual({
      broken: [],
      notPromised: ["process-groups.destroy", "code.programs"],
    })
  }, 900_000)
})
