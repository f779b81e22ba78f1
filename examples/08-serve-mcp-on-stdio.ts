// A session as an MCP server on standard input and output, and a real MCP client that starts it and calls a tool.
import assert from "node:assert/strict"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { openToolkeep } from "toolkeep"
import { serveStdio } from "toolkeep/mcp"

if (process.argv[2] === "serve") {
  await using keep = await openToolkeep({ host: "memory", policy: "coding" })
  // Resolves when the client is gone.
  await serveStdio(keep.session())
} else {
  const client = new Client({ name: "example", version: "1.0.0" })
  const args = [import.meta.filename, "serve"]
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))

  const { tools } = await client.listTools()
  assert(tools.some(({ name }) => name === "file_write"))

  await client.callTool({ name: "file_write", arguments: { path: "a.txt", content: "one\n" } })
  const answer = await client.callTool({ name: "file_read", arguments: { path: "a.txt" } })
  assert.equal(answer.isError, false)
  console.log(tools.length, "tools;", answer.content)
  await client.close()
}
