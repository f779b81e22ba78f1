// A model's tool call, answered in the form that its provider takes back.
import assert from "node:assert/strict"
import { openToolkeep } from "toolkeep"

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()

const offered = session.tools({ for: "anthropic" }).map(({ name }) => name)
assert(offered.includes("shell_exec"))

// What the Messages API gives as a `tool_use` block.
const call = { id: "toolu_1", name: "shell_exec", input: { command: "echo $((6 * 7))" } }
const block = await session.answer({ for: "anthropic", call })
assert.equal(block.tool_use_id, "toolu_1")
assert.equal(block.is_error, false)
assert(typeof block.content === "string") // With images, it is a list of blocks.
assert.match(block.content, /"stdout":"42\\n"/)

// What chat completions give in `tool_calls`, with arguments as text. A person is asked about this call only.
const asked = { id: "call_2", function: { name: "file_read", arguments: '{"pth": "a"}' } }
const message = await session.answer({ for: "openai", call: asked })
assert.equal(message.tool_call_id, "call_2")
assert.match(message.content, /did you mean \\"path\\"/)

console.log(block, message)
