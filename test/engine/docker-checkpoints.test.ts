import { afterAll, beforeAll, expect, it } from "vitest"
import { createPool, createWorkspace } from "../../src/sandbox/index.ts"
import { runConformance } from "../../src/testing/index.ts"
import { type DockerFixture, openDocker } from "./docker-fixture.ts"

let docker: DockerFixture
beforeAll(async () => {
  docker = await openDocker()
}, 120_000)
afterAll(() => docker?.[Symbol.asyncDispose](), 120_000)

it("F18, F21: checkpoints of containers keep every promise", async () => {
  const options = { only: ["checkpoints"], checkMs: 200_000, concurrency: 2 }
  const { checks } = await runConformance(docker.host(), options)
  expect(checks.filter(({ kept }) => kept !== true)).toEqual([])
  expect(checks.length).toBeGreaterThan(5)
}, 600_000)

it("C18: another session is restored from a container that goes on", async () => {
  const host = docker.host()
  await using first = createPool(host)
  const workspace = await first.workspace("build")
  await workspace.writeFile("file", "old")
  const checkpoint = await first.checkpoint()
  await workspace.writeFile("file", "new")
  await using second = createPool(host)
  await second.restore(checkpoint)
  expect(await (await second.workspace("build")).readFile("file")).toBe("old")
  expect(await workspace.readFile("file")).toBe("new")
  const sandbox = await host.create({ name: "plain", from: checkpoint.sandboxes[0]?.id })
  expect(await createWorkspace(sandbox).readFile("file")).toBe("old")
  await sandbox.destroy()
}, 300_000)
