// The same loop with OpenAI's SDK, by chat completions and by the Responses API.
import assert from "node:assert/strict"
import OpenAI from "openai"
import { openToolkeep, type Session } from "toolkeep"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const model = "gpt-5.1"

async function chatLoop(client: OpenAI, session: Session, task: string) {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: task }]
  for (;;) {
    const tools = session.tools({ for: "openai" })
    const { choices } = await client.chat.completions.create({ model, messages, tools })
    const message = choices[0]?.message
    assert(message)
    messages.push(message)
    const calls = message.tool_calls?.filter((call) => call.type === "function") ?? []
    if (calls.length === 0) return messages
    messages.push(...(await session.answer({ for: "openai", calls })))
  }
}

async function responsesLoop(client: OpenAI, session: Session, task: string) {
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: task }]
  for (;;) {
    const tools = session.tools({ for: "openai-responses" })
    const { output, output_text } = await client.responses.create({ model, input, tools })
    input.push(...(output as OpenAI.Responses.ResponseInput))
    const calls = output.filter((item) => item.type === "function_call")
    if (calls.length === 0) return { input, text: output_text }
    input.push(...(await session.answer({ for: "openai-responses", calls })))
  }
}

const page = { path: "index.html", content: "<h1>Shop</h1>" }
const turns = [
  { calls: [{ name: "write_file", input: page }] },
  {
    calls: [
      { name: "read_file", input: { path: "index.html" } },
      { name: "read_file", input: { path: "missing.html" } },
    ],
  },
  { text: "There is one page." },
]
await using keep = await openToolkeep({ host: "memory", dialect: "cloudflare" })

{
  // A stand-in for the API with a scripted model. Without `baseURL`, the client asks the real one.
  await using api = await startModelApi(...turns)
  const client = new OpenAI({ apiKey: "none", baseURL: `${api.url}/v1` })
  const messages = await chatLoop(client, keep.session("chat"), "Make a page.")
  const asked = messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  )
  const answers = messages.filter((message) => message.role === "tool")
  assert.deepEqual(
    answers.map(({ tool_call_id }) => tool_call_id),
    asked,
  )
  assert.match(String(answers[1]?.content), /<h1>Shop<\/h1>/)
  assert.match(String(answers[2]?.content), /missing\.html/)
  assert.equal(messages.at(-1)?.content, "There is one page.")
}
{
  await using api = await startModelApi(...turns)
  const client = new OpenAI({ apiKey: "none", baseURL: `${api.url}/v1` })
  const { input, text } = await responsesLoop(client, keep.session("responses"), "Make a page.")
  const idsOf = (type: "function_call" | "function_call_output") =>
    input.flatMap((item) => (item.type === type ? [item.call_id] : []))
  assert.equal(idsOf("function_call").length, 3)
  assert.deepEqual(idsOf("function_call_output"), idsOf("function_call"))
  assert.equal(text, "There is one page.")
  console.log(text)
}
