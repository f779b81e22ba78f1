// The agent loop of the Cloudflare document with Anthropic's SDK: call the model, run every tool call, answer each by
// its id, until the model stops.
import assert from "node:assert/strict"
import Anthropic from "@anthropic-ai/sdk"
import { openToolkeep, type Session } from "toolkeep"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

async function agentLoop(client: Anthropic, session: Session, task: string) {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: task }]
  for (;;) {
    const { content, stop_reason } = await client.messages.create({
      ...{ model: "claude-sonnet-5", max_tokens: 4096, messages },
      tools: session.tools({ for: "anthropic" }),
    })
    messages.push({ role: "assistant", content })
    if (stop_reason !== "tool_use") return messages
    const calls = content.filter((block) => block.type === "tool_use")
    messages.push({ role: "user", content: await session.answer({ for: "anthropic", calls }) })
  }
}

const page = { sandbox: "web", path: "index.html", content: "<h1>Shop</h1>" }
// A stand-in for the API with a scripted model. Without `baseURL`, the client asks the real one.
await using api = await startModelApi(
  { calls: [{ name: "write_file", input: page }] },
  {
    calls: [
      { name: "shell", input: { sandbox: "web", command: "cat index.html" } },
      { name: "read_file", input: { path: "index.html" } },
      { name: "browse_web", input: {} },
    ],
  },
  { text: "The page is in the sandbox web." },
)
const client = new Anthropic({ apiKey: "none", baseURL: api.url })
await using keep = await openToolkeep({ host: "memory", dialect: "cloudflare" })
const messages = await agentLoop(client, keep.session(), "Make a page.")

// Every call of the second answer was run, also the two that fail, and each result has the id of its call.
const [asked, answered] = [messages[3]?.content, messages[4]?.content]
assert(Array.isArray(asked) && Array.isArray(answered))
const ids = asked.map((block) => (block.type === "tool_use" ? block.id : null))
assert.equal(new Set(ids).size, 3)
assert.partialDeepStrictEqual(answered, [
  { type: "tool_result", tool_use_id: ids[0], is_error: false },
  // The other sandbox has no such file, and there is no such tool.
  { type: "tool_result", tool_use_id: ids[1], is_error: true },
  { type: "tool_result", tool_use_id: ids[2], is_error: true },
])
assert.match(JSON.stringify(answered[0]), /<h1>Shop<\/h1>/)
// The loop ended with the answer that asks for nothing.
assert.equal(api.requests.length, 3)
assert.partialDeepStrictEqual(messages.at(-1), {
  content: [{ text: "The page is in the sandbox web." }],
})
console.log(messages.at(-1))
