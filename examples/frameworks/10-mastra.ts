// Mastra: an agent gets its tools from Toolkeep as an MCP server.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { Agent } from "@mastra/core/agent"
import { MCPClient } from "@mastra/mcp"
import { openToolkeep } from "toolkeep"
import { serveHttp } from "toolkeep/mcp"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

// Mastra reports to its makers which features are used, unless it is told not to.
process.env.MASTRA_TELEMETRY_DISABLED = "1"

const input = { command: "echo $((6 * 7)) > answer.txt; cat answer.txt" }
// A stand-in for the API with a scripted model. Without `url`, the model is the real one.
await using api = await startModelApi(
  { calls: [{ name: "toolkeep_shell_exec", input }] },
  { text: "It is 42." },
)
const model = { id: "openai/gpt-5.1", url: `${api.url}/v1`, apiKey: "none" } as const

const token = randomBytes(32).toString("base64url")
await using keep = await openToolkeep({ host: "memory" })
const server = await serveHttp(keep, { tokens: [token], port: 0 })

const requestInit = { headers: { Authorization: `Bearer ${token}` } }
const client = new MCPClient({ servers: { toolkeep: { url: new URL(server.url), requestInit } } })
const agent = new Agent({
  id: "clerk",
  name: "clerk",
  instructions: "Answer in one sentence.",
  model,
  tools: await client.listTools(),
})
const { text } = await agent.generate("What is 6 times 7?")
await client.disconnect()
await server.close()

assert.equal(text, "It is 42.")
const { role, content } = api.requests[1].messages.at(-1)
assert.equal(role, "tool")
assert.match(content, /"text":"42"/)
console.log(text)
