// LangChain as an MCP client: its adapters turn Toolkeep's tools into LangChain tools.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { type BaseMessage, HumanMessage } from "@langchain/core/messages"
import { MultiServerMCPClient } from "@langchain/mcp-adapters"
import { ChatOpenAI } from "@langchain/openai"
import { openToolkeep } from "toolkeep"
import { serveHttp } from "toolkeep/mcp"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const input = { command: "echo $((6 * 7)) > answer.txt; cat answer.txt" }
// A stand-in for the API with a scripted model. Without `baseURL`, the model is the real one.
await using api = await startModelApi(
  { calls: [{ name: "shell_exec", input }] },
  { text: "It is 42." },
)
const configuration = { baseURL: `${api.url}/v1` }
const model = new ChatOpenAI({ model: "gpt-5.1", apiKey: "none", configuration })

const token = randomBytes(32).toString("base64url")
await using keep = await openToolkeep({ host: "memory" })
const server = await serveHttp(keep, { tokens: [token], port: 0 })

const headers = { Authorization: `Bearer ${token}` }
const client = new MultiServerMCPClient({
  toolkeep: { transport: "http", url: server.url, headers },
})
const tools = await client.getTools()
const asking = model.bindTools(tools)
const messages: BaseMessage[] = [new HumanMessage("What is 6 times 7?")]
for (;;) {
  const message = await asking.invoke(messages)
  messages.push(message)
  if (!message.tool_calls?.length) break
  for (const call of message.tool_calls) {
    const found = tools.find(({ name }) => name === call.name)
    assert(found)
    messages.push(await found.invoke({ ...call, type: "tool_call" }))
  }
}
await client.close()
await server.close()

assert.match(String(messages[2]?.text), /42/)
assert.equal(messages[3]?.text, "It is 42.")
console.log(messages[3]?.text)
