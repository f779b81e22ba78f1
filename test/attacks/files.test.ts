import { describe, expect, it } from "vitest"
import { openMcpFixture } from "./attack-ground.ts"
import { attackFiles } from "./file-attacks.ts"
import { attackOutput } from "./output-attacks.ts"
import { attackPaths } from "./path-attacks.ts"
import { attackTrees } from "./tree-attacks.ts"

describe("files of the host by a path, from bubblewrap", () => attackPaths(openMcpFixture))
describe("trees as archives, from bubblewrap", () => attackTrees(openMcpFixture))
describe("what is printed, from bubblewrap", () => attackOutput(openMcpFixture))
describe("files of the host through the system, from bubblewrap", () => {
  attackFiles(openMcpFixture)

  it("C18: finds the host's state and its devices' settings at all", async () => {
    await using ground = await openMcpFixture()
    expect(await ground.print("ls -d /var /sys 2>/dev/null")).toBe("")
  })
})
