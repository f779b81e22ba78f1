// An MCP server on 127.0.0.1 for any number of clients: each has sandboxes of its own, and every request needs a token.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { openToolkeep } from "toolkeep"
import { serveHttp } from "toolkeep/mcp"

const token = randomBytes(32).toString("base64url")
await using keep = await openToolkeep({ host: "memory" })
const server = await serveHttp(keep, { tokens: [token], port: 0 })

async function connect(name: string): Promise<Client> {
  const client = new Client({ name, version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }))
  return client
}

const one = await connect("one")
const other = await connect("other")
await one.callTool({ name: "file_write", arguments: { path: "a.txt", content: "mine\n" } })
const read = { name: "file_read", arguments: { path: "a.txt" } }
const mine = await one.callTool(read)
const theirs = await other.callTool(read)
assert.equal(mine.isError, false)
assert.equal(theirs.isError, true)

const { status } = await fetch(server.url, { method: "POST", body: "{}" })
assert.equal(status, 401)
console.log(mine.content, theirs.content, status)

await Promise.all([one.close(), other.close()])
await server.close()
