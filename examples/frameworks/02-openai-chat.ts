// OpenAI's SDK with chat completions: images follow the tool messages, because those take only text.
import assert from "node:assert/strict"
import OpenAI from "openai"
import { openToolkeep } from "toolkeep"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const rows = [
  { month: "Jan", sales: 120 },
  { month: "Feb", sales: 90 },
]
const chart = { type: "bar", rows, x: "month", y: "sales", format: "png" }
// A stand-in for the API with a scripted model. Without `baseURL`, the client asks the real one.
await using api = await startModelApi(
  {
    calls: [
      { name: "chart_render", input: chart },
      { name: "file_read", input: { path: "missing.md" } },
    ],
  },
  { text: "Sales fell in February." },
)
const client = new OpenAI({ apiKey: "none", baseURL: `${api.url}/v1` })

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "How were sales?" }]
for (;;) {
  const { choices } = await client.chat.completions.create({
    model: "gpt-5.1",
    messages,
    tools: session.tools({ for: "openai" }),
  })
  const message = choices[0]?.message
  assert(message)
  messages.push(message)
  const calls = message.tool_calls?.filter((call) => call.type === "function") ?? []
  if (calls.length === 0) break
  messages.push(...(await session.answer({ for: "openai", calls })))
}

assert.deepEqual(
  messages.map(({ role }) => role),
  ["user", "assistant", "tool", "tool", "user", "assistant"],
)
assert.partialDeepStrictEqual(messages[4], { content: [{ type: "text" }, { type: "image_url" }] })
assert.equal(messages[5]?.content, "Sales fell in February.")
console.log(messages[5])
