// OpenAI's Agents SDK: the agent gets its tools from Toolkeep as an MCP server.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } from "@openai/agents"
import { openToolkeep } from "toolkeep"
import { serveHttp } from "toolkeep/mcp"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const input = { command: "echo $((6 * 7)) > answer.txt; cat answer.txt" }
// A stand-in for the API with a scripted model. Without a provider of its own, the runner asks the real one.
await using api = await startModelApi(
  { calls: [{ name: "shell_exec", input }] },
  { text: "It is 42." },
)
const modelProvider = new OpenAIProvider({ apiKey: "none", baseURL: `${api.url}/v1` })

const token = randomBytes(32).toString("base64url")
await using keep = await openToolkeep({ host: "memory" })
const server = await serveHttp(keep, { tokens: [token], port: 0 })

const requestInit = { headers: { Authorization: `Bearer ${token}` } }
const toolkeep = new MCPServerStreamableHttp({ name: "toolkeep", url: server.url, requestInit })
await toolkeep.connect()
const agent = new Agent({ name: "clerk", model: "gpt-5.1", mcpServers: [toolkeep] })
const runner = new Runner({ modelProvider, tracingDisabled: true })
const { finalOutput } = await runner.run(agent, "What is 6 times 7?")
await toolkeep.close()
await server.close()

assert.equal(finalOutput, "It is 42.")
assert.match(JSON.stringify(api.requests[1].input), /42/)
console.log(finalOutput)
