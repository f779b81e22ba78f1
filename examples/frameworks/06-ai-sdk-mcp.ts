// The AI SDK as an MCP client: Toolkeep is a server of its own, which any number of programs share.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createMCPClient } from "@ai-sdk/mcp"
import { generateText, isStepCount } from "ai"
import { openToolkeep } from "toolkeep"
import { serveHttp } from "toolkeep/mcp"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const input = { command: "echo $((6 * 7)) > answer.txt; cat answer.txt" }
// A stand-in for the API with a scripted model. Without `baseURL`, the client asks the real one.
await using api = await startModelApi(
  { calls: [{ name: "shell_exec", input }] },
  { text: "It is 42." },
)
const anthropic = createAnthropic({ apiKey: "none", baseURL: `${api.url}/v1` })

const token = randomBytes(32).toString("base64url")
await using keep = await openToolkeep({ host: "memory" })
const server = await serveHttp(keep, { tokens: [token], port: 0 })

const headers = { Authorization: `Bearer ${token}` }
const client = await createMCPClient({ transport: { type: "http", url: server.url, headers } })
const { text } = await generateText({
  model: anthropic("claude-sonnet-5"),
  prompt: "What is 6 times 7?",
  tools: await client.tools(),
  stopWhen: isStepCount(5),
})
await client.close()
await server.close()

assert.equal(text, "It is 42.")
assert.match(JSON.stringify(api.requests[1].messages[2].content), /42/)
console.log(text)
