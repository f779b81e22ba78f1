// The AI SDK in one process with Toolkeep: failures are marked as such, and the model sees the chart that was drawn.
import assert from "node:assert/strict"
import { createAnthropic } from "@ai-sdk/anthropic"
import { generateText, isStepCount } from "ai"
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
const anthropic = createAnthropic({ apiKey: "none", baseURL: `${api.url}/v1` })

await using keep = await openToolkeep({ host: "memory" })
const { text } = await generateText({
  model: anthropic("claude-sonnet-5"),
  prompt: "How were sales?",
  tools: keep.session().tools({ for: "ai-sdk" }),
  stopWhen: isStepCount(5),
})

assert.equal(text, "Sales fell in February.")
// What the API was sent.
assert.partialDeepStrictEqual(api.requests[1].messages[2].content, [
  { type: "tool_result", content: [{ type: "text" }, { type: "image" }] },
  { type: "tool_result", is_error: true },
])
console.log(text)
