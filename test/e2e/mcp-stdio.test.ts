import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterAll, beforeAll, expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { commandLine } from "../support/built-package.ts"

const run = promisify(execFile)
const serve = [
  process.execPath,
  commandLine,
  "mcp",
  "--host",
  "memory",
  "--results",
  "both",
] as const

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "toolkeep-mcp-e2e-"))
})
afterAll(() => rm(home, { recursive: true }))

it("F20: a client of the SDK's first generation lists and calls", async () => {
  const [command, ...args] = [...serve, "--profile", "coding", "--sandbox", "build"]
  const env = { ...process.env, TOOLKEEP_HOME: home } as Record<string, string>
  const transport = new StdioClientTransport({ command, args, env })
  const client = new Client({ name: "first", version: "1.0.0" })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  // On the memory host, in this profile, there are not so many that any is searched for.
  expect(names).toHaveLength(33)
  expect(names).toContain("file_write")
  expect(names).not.toContain("shell_exec")
  const call = (name: string, input: Record<string, unknown>) =>
    client.callTool({ name, arguments: input })
  const written = await call("file_write", { path: "a.txt", content: "hi" })
  expect(written).toMatchObject({ isError: false, structuredContent: { ok: true } })
  const refused = await call("shell_exec", { command: "echo hi" })
  expect(refused).toMatchObject({ isError: true, structuredContent: { kind: "rejected" } })
  await client.close()
})

it("F20: the inspector's command line lists and calls", async () => {
  const inspect = async (...args: string[]) => {
    const inspector = join(repositoryRoot, "node_modules/.bin/mcp-inspector")
    // It waits 15 s for a server to start, which on a busy machine is too short.
    const patience = ["--connect-timeout", "100000"]
    const { stdout } = await run(inspector, ["--cli", ...serve, ...patience, ...args], {
      cwd: repositoryRoot,
      env: { ...process.env, TOOLKEEP_HOME: home },
    })
    return JSON.parse(stdout)
  }
  const call = ["--method", "tools/call", "--tool-name", "shell_exec", "--tool-arg"]
  const [listed, called] = await Promise.all([
    inspect("--method", "tools/list"),
    inspect(...call, "command=echo hi"),
  ])
  expect(listed.tools.map(({ name }: { name: string }) => name)).toContain("file_read")
  expect(called).toMatchObject({
    isError: false,
    structuredContent: { ok: true, tool: "shell_exec", result: { stdout: "hi\n" } },
  })
})

it("F20: a client is told of the usual tools, and finds and calls another", async () => {
  const [command, ...args] = [...serve, "--defer", "on"]
  const env = { ...process.env, TOOLKEEP_HOME: home } as Record<string, string>
  const client = new Client({ name: "first", version: "1.0.0" })
  await client.connect(new StdioClientTransport({ command, args, env }))
  const listed = async () => (await client.listTools()).tools.map(({ name }) => name)
  expect(await listed()).toHaveLength(15)
  const search = { query: "what do I remember?", limit: 3 }
  expect(await client.callTool({ name: "tools_search", arguments: search })).toMatchObject({
    structuredContent: { ok: true, result: { tool_count: 3 } },
  })
  expect(await listed()).toContain("memory_read")
  const read = { namespace: "nobody" }
  expect(await client.callTool({ name: "memory_read", arguments: read })).toMatchObject({
    structuredContent: { tool: "memory_read" },
  })
  await client.close()
})

it("a client can have the tools in another vocabulary", async () => {
  const [command, ...args] = [...serve, "--dialect", "osaurus"]
  const env = { ...process.env, TOOLKEEP_HOME: home } as Record<string, string>
  const client = new Client({ name: "first", version: "1.0.0" })
  await client.connect(new StdioClientTransport({ command, args, env }))
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).not.toContain("shell_exec")
  expect(names).toContain("file_read")
  const read = await client.callTool({ name: "file_read", arguments: { path: "nowhere.md" } })
  expect(read).toMatchObject({ isError: true, structuredContent: { ok: false, tool: "file_read" } })
  await client.close()
})
