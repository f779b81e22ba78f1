import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { commandLine } from "../support/built-package.ts"
import { openBridge, temporaryHome } from "../support/mcp/bridge-fixture.ts"

const reference = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [
    join(repositoryRoot, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`),
    ...args,
  ],
})

it("Y15: the reference servers everything, filesystem and memory are bridged in as mcp:server:tool", async () => {
  const home = await temporaryHome()
  const { session, bridge } = await openBridge(
    {
      mcpServers: {
        everything: reference("everything"),
        files: reference("filesystem", home),
        memory: { ...reference("memory"), env: { MEMORY_FILE_PATH: join(home, "memory.json") } },
      },
    },
    { home },
  )
  await session.prepare()
  expect(bridge.list().map(({ server, state }) => [server, state.kind])).toEqual([
    ["everything", "ready"],
    ["files", "ready"],
    ["memory", "ready"],
  ])
  expect(
    bridge.list().flatMap(({ tools }) => tools.filter(({ state }) => state.kind !== "ready")),
  ).toEqual([])
  const names = session.tools({ all: true }).map((tool) => tool.name)
  expect(names).toEqual(
    expect.arrayContaining([
      "mcp:everything:echo",
      "mcp:files:write_file",
      "mcp:memory:read_graph",
    ]),
  )
  // Too many to tell a model of at once.
  const told = () => session.tools().map((tool) => tool.name)
  expect(told().filter((name) => name.startsWith("mcp:"))).toEqual([])
  const search = { query: "read the knowledge graph", limit: 1 }
  expect(await session.call("tools.search", search)).toMatchObject({
    result: { tools: [{ name: "mcp_memory_read_graph" }] },
  })
  expect(told()).toContain("mcp:memory:read_graph")

  expect(await session.call("mcp:everything:echo", { message: "hello" })).toEqual({
    ok: true,
    tool: "mcp:everything:echo",
    result: {
      kind: "mcp",
      server: "everything",
      tool: "echo",
      content: [{ type: "text", text: "Echo: hello" }],
    },
  })
  expect(await session.call("mcp_everything_get-sum", { a: "2", b: 3 })).toMatchObject({
    ok: true,
    result: { content: [{ text: "The sum of 2 and 3 is 5." }] },
  })
  expect(
    await session.call("mcp:everything:get-structured-content", { location: "Chicago" }),
  ).toMatchObject({ ok: true, result: { structured: { conditions: expect.any(String) } } })
  const image = await session.call("mcp:everything:get-tiny-image")
  expect(image).toMatchObject({
    ok: true,
    result: {
      content: [{}, { type: "image", mime_type: "image/png", artifact: { size: 4033 } }, {}],
    },
  })
  expect(await session.artifacts.list()).toMatchObject([{ mimeType: "image/png", size: 4033 }])

  const path = join(home, "note.txt")
  await session.call("mcp:files:write_file", { path, content: "kept" })
  expect(await readFile(path, "utf8")).toBe("kept")
  expect(await session.call("mcp:files:read_text_file", { path })).toMatchObject({
    ok: true,
    result: { content: [{ type: "text", text: "kept" }], structured: { content: "kept" } },
  })
  const entity = { name: "Ada", entityType: "person", observations: ["writes programs"] }
  await session.call("mcp:memory:create_entities", { entities: [entity] })
  expect(await session.call("mcp:memory:search_nodes", { query: "programs" })).toMatchObject({
    ok: true,
    result: { structured: { entities: [entity] } },
  })
})

it("Y15: Toolkeep's own server, which speaks the newer generation of the protocol, is bridged in as well", async () => {
  const self = {
    command: process.execPath,
    args: [commandLine, "mcp", "--host", "memory", "--results", "both"],
  }
  const home = await temporaryHome()
  const { session, bridge } = await openBridge(
    { mcpServers: { self: { ...self, env: { TOOLKEEP_HOME: home }, cwd: home } } },
    { home },
  )
  expect(
    await session.call("mcp:self:shell_exec", { command: "echo inside; exit 3" }),
  ).toMatchObject({
    ok: true,
    result: {
      server: "self",
      tool: "shell_exec",
      structured: { exit_code: 3 },
    },
  })
  expect(await session.call("mcp:self:file_read", { path: "nowhere" })).toMatchObject({
    ok: false,
    kind: "not_found",
    message: expect.stringContaining("nowhere"),
  })
  const left = bridge.list()[0]?.tools.filter(({ state }) => state.kind !== "ready")
  expect(left).toEqual([])
})
