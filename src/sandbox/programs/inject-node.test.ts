import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Workspace } from "../../contract/index.ts"
import type { Sandbox } from "../host/host.ts"
import { bubblewrapHost } from "../hosts/bubblewrap/bubblewrap-host.ts"
import { createWorkspace } from "../workspace/create-workspace.ts"
import { injectNode } from "./inject-node.ts"
import { nodeLanguages } from "./injected-node.ts"

let directory: string
let sandbox: Sandbox
let workspace: Workspace

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-carry-"))
  await chmod(directory, 0o755)
  sandbox = await bubblewrapHost({ directory }).create({ name: "test" })
  workspace = createWorkspace(sandbox)
})

afterAll(async () => {
  await sandbox.destroy()
  await rm(directory, { recursive: true, force: true })
})

const programs = () => readdir(join(directory, "shared", "bin"))

describe("the Node that sandboxes are given", () => {
  it("R8: is carried into a running sandbox by the first code that needs it, and not before", async () => {
    expect(await programs()).toEqual(["rg"])
    const javascript = 'console.log(process.version, require("fs").existsSync("/etc/passwd"))'
    expect(await workspace.runCode("javascript", javascript)).toMatchObject({
      exitCode: 0,
      stdout: `${process.version} true\n`,
      stderr: "",
    })
    expect((await programs()).filter((name) => name.startsWith("node"))).toHaveLength(2)
  })

  it("R8: runs TypeScript as modules, and Python where this machine has it", async () => {
    const typescript = `import { readFileSync } from "node:fs"
      const same = <Kind>(value: Kind): Kind => value
      console.log(same<number>(await Promise.resolve(7)), typeof readFileSync)`
    const { stdout, stderr } = await workspace.runCode("typescript", typescript)
    expect([stdout, stderr]).toEqual(["7 function\n", ""])
    const { exitCode } = await workspace.exec("type -P python3")
    const python = exitCode === 0 ? { python: ["python3", "-c"] } : {}
    expect(sandbox.can.languages).toEqual({
      ...nodeLanguages(),
      ...python,
      bash: ["bash", "-c", "--"],
    })
    const answer = workspace.runCode("python", "print(6 * 7)")
    if (exitCode === 0) expect(await answer).toMatchObject({ stdout: "42\n" })
    else await expect(answer).rejects.toMatchObject({ kind: "invalid_args" })
  })

  it("R8: is placed once, by however many at once", async () => {
    const other = await mkdtemp(join(directory, "carried-"))
    await Promise.all(Array.from({ length: 5 }, () => injectNode(other)))
    const names = (await readdir(other)).sort()
    expect(names).toEqual(["node", expect.stringMatching(/^node-[0-9a-f]{12}$/)])
    const { mtimeMs } = await stat(join(other, "node"))
    await injectNode(other)
    expect((await stat(join(other, "node"))).mtimeMs).toBe(mtimeMs)
  })
})
