import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  type Generation,
  generations,
  type McpFixture,
  openMcpFixture,
} from "../../../../test/support/mcp/mcp-fixture.ts"

async function project(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-root-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  // The sandbox's user is another one when Toolkeep is run by root.
  await chmod(directory, 0o777)
  await writeFile(join(directory, "a.txt"), "from outside", { mode: 0o644 })
  return directory
}

async function connect(ground: McpFixture, generation: Generation, ...roots: readonly string[]) {
  const client = await ground.connect(generation, { capabilities: { roots: {} } })
  let asked = 0
  client.setRequestHandler("roots/list", () => {
    asked += 1
    return { roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) }
  })
  const call = async (name: string, input: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: input })).structuredContent
  return { call, asked: () => asked }
}

describe.each(generations)("the roots of a client of $generation", (generation) => {
  it("are shown in the sandbox, to be read", async () => {
    const directory = await project()
    const path = `/mnt/${basename(directory)}`
    await using ground = await openMcpFixture({ host: "bubblewrap", mountRoots: "read" })
    const { call, asked } = await connect(ground, generation, directory)
    expect(await call("file_read", { path: `${path}/a.txt` })).toMatchObject({
      ok: true,
      result: { text: "from outside" },
    })
    expect(await call("shell_exec", { command: `echo no > ${path}/b.txt` })).toMatchObject({
      result: { exit_code: 1, stderr: expect.stringContaining("Read-only file system") },
    })
    expect(asked()).toBe(1)
  })

  it("can be changed only where that was asked for", async () => {
    const directory = await project()
    await using ground = await openMcpFixture({ host: "bubblewrap", mountRoots: "write" })
    const { call } = await connect(ground, generation, directory)
    const path = `/mnt/${basename(directory)}/b.txt`
    expect(await call("file_write", { path, content: "from inside" })).toMatchObject({ ok: true })
    expect(await readFile(join(directory, "b.txt"), "utf8")).toBe("from inside")
  })
})

it("without being asked for, roots are neither asked for nor shown", async () => {
  const directory = await project()
  await using ground = await openMcpFixture({ host: "bubblewrap" })
  const { call, asked } = await connect(ground, generations[0], directory)
  expect(await call("shell_exec", { command: "ls /mnt" })).toMatchObject({
    result: { exit_code: 2 },
  })
  expect(asked()).toBe(0)
})

it("what is no directory, or holds Toolkeep's own files, is not shown", async () => {
  await using ground = await openMcpFixture({ host: "bubblewrap", mountRoots: "read" })
  const { call } = await connect(ground, generations[0], tmpdir())
  expect(await call("file_list", { path: "." })).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining("holds Toolkeep's own files"),
  })
  await using memory = await openMcpFixture({ host: "memory", mountRoots: "read" })
  const other = await connect(memory, generations[0], await project())
  expect(await other.call("file_list", { path: "." })).toMatchObject({
    kind: "unavailable",
    message: "The memory host can't show directories inside.",
  })
})
