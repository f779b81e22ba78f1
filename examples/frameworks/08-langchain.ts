// LangChain in one process with Toolkeep: each tool becomes a LangChain tool, which agents and graphs take.
import assert from "node:assert/strict"
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import { openToolkeep } from "toolkeep"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const input = { command: "echo $((6 * 7)) > answer.txt; cat answer.txt" }
// A stand-in for the API with a scripted model. Without `baseURL`, the model is the real one.
await using api = await startModelApi(
  { calls: [{ name: "shell_exec", input }] },
  { text: "It is 42." },
)
const configuration = { baseURL: `${api.url}/v1` }
const model = new ChatOpenAI({ model: "gpt-5.1", apiKey: "none", configuration })

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const tools = session.tools({ for: "openai" }).map(({ function: { parameters, ...named } }) =>
  tool(
    async (args, config) => {
      const call = { name: named.name, arguments: args }
      const { content, isError } = await session.answer(
        { for: "mcp", call },
        { signal: config.signal },
      )
      return new ToolMessage({
        tool_call_id: config.toolCall?.id ?? "",
        content,
        status: isError ? "error" : "success",
      })
    },
    { ...named, schema: parameters },
  ),
)

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

assert.match(String(messages[2]?.text), /42/)
assert.equal(messages[3]?.text, "It is 42.")
console.log(messages[3]?.text)
