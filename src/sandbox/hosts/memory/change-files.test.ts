import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { provesFileChanges } from "../../../../test/support/change-files-suite.ts"
import type { Workspace } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { memoryHost } from "./memory-host.ts"

let sandbox: Sandbox
let workspace: Workspace
beforeAll(async () => {
  sandbox = await memoryHost({ diskBytes: 4 * 1024 * 1024 }).create({ name: "default" })
  workspace = createWorkspace(sandbox)
})
afterAll(() => sandbox.destroy())

describe("the memory host", () => {
  provesFileChanges(() => workspace)
})

it("F15: the system's own places can't be changed", async () => {
  const denied = { code: "denied" }
  await expect(workspace.mkdir("/usr/new")).rejects.toMatchObject(denied)
  await expect(workspace.remove("/usr/bin", { recursive: true })).rejects.toMatchObject(denied)
  await expect(workspace.rename("/bin", "bin")).rejects.toMatchObject(denied)
  await expect(workspace.copy("/dev/null", "null")).rejects.toMatchObject(denied)
  await expect(workspace.remove("/", { recursive: true })).rejects.toMatchObject({
    code: "outside",
  })
  expect(await workspace.exists("/usr/bin")).toBe(true)
})

it("F15: a copy that does not fit leaves what was there, and the space that it took", async () => {
  await workspace.writeFile("big/one", new Uint8Array(1_500_000))
  await workspace.writeFile("big/two", new Uint8Array(1_000_000))
  await workspace.writeFile("old", "old")
  await expect(workspace.copy("big", "again")).rejects.toMatchObject({ code: "no-space" })
  await expect(
    workspace.copy("big/one", "old").then(() => workspace.copy("big/two", "x")),
  ).rejects.toMatchObject({ code: "no-space" })
  expect(await workspace.exists("again")).toBe(false)
  await workspace.remove("big", { recursive: true })
  await workspace.writeFile("fits", new Uint8Array(2_400_000))
  await workspace.remove("fits")
})
