import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { archiveOf, bytesOf, streamOf } from "../../../../test/support/archive-fixture.ts"
import { provesTrees } from "../../../../test/support/trees-suite.ts"
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
  provesTrees(() => workspace)
})

it("C9: an export is what was there when it was asked for", async () => {
  await workspace.writeFile("moving/one", "before")
  await workspace.writeFile("moving/log", "line\n")
  const archive = await workspace.exportTree("moving")
  await workspace.writeFile("moving/one", "after")
  await workspace.writeFile("moving/log", "more\n", { append: true })
  await workspace.writeFile("moving/new", "")
  await workspace.importTree("then", archive)
  expect(await workspace.readFile("then/one")).toBe("before")
  expect(await workspace.readFile("then/log")).toBe("line\n")
  expect(await workspace.exists("then/new")).toBe(false)
})

it("F15: an archive larger than the disk is refused before it is read", async () => {
  const bytes = await bytesOf(await archiveOf([{ name: "huge", text: "x".repeat(5_000_000) }]))
  const importing = workspace.importTree("full", streamOf(bytes, 100_000))
  await expect(importing).rejects.toMatchObject({ code: "no-space" })
  expect(await workspace.exists("full")).toBe(false)
})

it("F18: a device can't be exported", async () => {
  await expect(workspace.exportTree("/dev/null")).rejects.toMatchObject({ code: "not-file" })
})
