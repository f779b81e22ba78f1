import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, it, onTestFinished } from "vitest"
import { startServer } from "../e2e/start-server.ts"
import { commandLine } from "../support/built-package.ts"

const megabytes = 2 ** 20

async function connect(url: string, token: string, name: string): Promise<Client> {
  const client = new Client({ name, version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

interface Attack {
  /** Of the file a.txt. */
  readonly content: string
  readonly tool: "file_edit" | "file_patch"
  readonly input: Readonly<Record<string, unknown>>
}

const editing = (content: string, edits: readonly object[]): Attack => ({
  content,
  tool: "file_edit",
  input: { path: "a.txt", edits },
})

const patching = (content: string, hunks: readonly string[]): Attack => ({
  content,
  tool: "file_patch",
  input: { patch: hunks.map((hunk) => `--- a/a.txt\n+++ b/a.txt\n${hunk}`).join("") },
})

const same = "a".repeat(9 * megabytes)
const empty = "\n".repeat(7 * megabytes)
const numbers = Array.from({ length: 900 }, (_, index) => `line ${index};\n`)
const manyLines = 1_900_000

/** Each of these takes minutes to hours where the time is a product of two lengths. */
const attacks: Readonly<Record<string, Attack>> = {
  "a search that nearly matches everywhere and differs near its start": editing(same, [
    { search: `${"a".repeat(300)}b${"a".repeat(4 * megabytes)}`, replace: "" },
  ]),
  "one that differs in its middle": editing(same, [
    { search: `${"a".repeat(2 * megabytes)}b${"a".repeat(2 * megabytes)}`, replace: "" },
  ]),
  "many edits of millions of places": editing(
    "ab".repeat(4 * megabytes),
    Array.from({ length: 100 }, (_, index) => {
      const [search, replace] = index % 2 === 0 ? ["a", "c"] : ["c", "a"]
      return { search, replace, all: true }
    }),
  ),
  "changes around millions of lines that are the same": editing(
    `${numbers.join("")}${"\n".repeat(7 * megabytes)}`,
    numbers.slice(0, 100).map((search) => ({ search, replace: `${search}new\n` })),
  ),
  "a hunk of millions of lines that nearly matches everywhere": patching(empty, [
    `@@ -1000,${manyLines + 1} +1000,${manyLines} @@\n${" \n".repeat(manyLines)}-x\n`,
  ]),
  "a patch of the same large file again and again": patching(
    empty,
    Array.from({ length: 500 }, () => "@@ -1 +1 @@\n-\n+\n"),
  ),
}

it("O30, F20: edits and patches that could take hours hold up neither another client nor the server's end", async () => {
  const up = await startServer(process.execPath, [
    commandLine,
    "up",
    "--host",
    "memory",
    "--port",
    "0",
    "--results",
    "both",
  ])
  const { url, token } = await up.ready()
  const attacker = await connect(url, token, "attacker")
  const other = await connect(url, token, "other")
  for (const [name, { content, tool, input }] of Object.entries(attacks)) {
    const file = { path: "a.txt", content }
    expect(await attacker.callTool({ name: "file_write", arguments: file })).toMatchObject({
      structuredContent: { ok: true },
    })
    const attack = attacker.callTool({ name: tool, arguments: input })
    const echo = { name: "shell_exec", arguments: { command: "echo on" } }
    expect(await other.callTool(echo), name).toMatchObject({ structuredContent: { ok: true } })
    expect(await attack, name).toMatchObject({
      structuredContent: { tool },
    })
  }
  up.signal("SIGTERM")
  expect(await up.ended).toBe(0)
}, 240_000)
