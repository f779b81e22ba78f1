// Anthropic's SDK: a model asks for two things at once, and sees the chart that was drawn.
import assert from "node:assert/strict"
import Anthropic from "@anthropic-ai/sdk"
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
const client = new Anthropic({ apiKey: "none", baseURL: api.url })

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const messages: Anthropic.MessageParam[] = [{ role: "user", content: "How were sales?" }]
for (;;) {
  const message = await client.messages.create({
    model: "claude-sonnet-5",
    max_tokens: 1024,
    messages,
    tools: session.tools({ for: "anthropic" }),
  })
  messages.push({ role: "assistant", content: message.content })
  const calls = message.content.filter((block) => block.type === "tool_use")
  if (calls.length === 0) break
  messages.push({ role: "user", content: await session.answer({ for: "anthropic", calls }) })
}

assert.partialDeepStrictEqual(messages[2]?.content, [
  {
    is_error: false,
    content: [{ type: "text" }, { type: "image", source: { media_type: "image/png" } }],
  },
  { is_error: true },
])
assert.partialDeepStrictEqual(messages[3], { content: [{ text: "Sales fell in February." }] })
console.log(messages[3])
