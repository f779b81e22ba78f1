import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, it, onTestFinished } from "vitest"
import { commandLine } from "../support/built-package.ts"

it("F20, F17: each toolkeep mcp --keep has a session of its own, which the next one finds with its files, its answers and in the list", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-kept-"))
  // The sandbox's user walks through it.
  chmodSync(home, 0o755)
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const env = { ...process.env, TOOLKEEP_HOME: home } as Record<string, string>
  const connect = async () => {
    const client = new Client({ name: "kept", version: "1.0.0" })
    const args = [commandLine, "mcp", "--keep", "--host", "bubblewrap"]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd: home }),
    )
    onTestFinished(() => client.close())
    return client
  }
  const run = async (client: Client, command: string) =>
    (await client.callTool({ name: "shell_exec", arguments: { command } })).content
  const first = await connect()
  await run(first, "echo first > a.txt")
  const second = await connect()
  await run(second, "echo second > a.txt")
  await Promise.all([first.close(), second.close()])
  const third = await connect()
  expect(await run(third, "cat a.txt")).toEqual([{ type: "text", text: "first" }])
  const { resources } = await third.listResources()
  expect(resources.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^shell_exec-call_/),
    expect.stringMatching(/^shell_exec-call_/),
  ])
  const listed = await promisify(execFile)(
    process.execPath,
    [commandLine, "sessions", "list", "--json"],
    { env, cwd: home },
  )
  const names = JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(["mcp", "mcp-2"])
}, 120_000)
