// The tools in the AI SDK: generateText asks the model, Toolkeep runs what it asks for. The model here is scripted.
import assert from "node:assert/strict"
import { generateText, isStepCount } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { openToolkeep } from "toolkeep"

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const step = (part: object, unified: "tool-calls" | "stop") =>
  ({ content: [part], finishReason: { unified, raw: unified }, usage, warnings: [] }) as never
const input = JSON.stringify({ command: "echo hello > a.txt; cat a.txt", timeout_ms: "5000" })
const model = new MockLanguageModelV4({
  doGenerate: [
    step({ type: "tool-call", toolCallId: "1", toolName: "shell_exec", input }, "tool-calls"),
    step({ type: "text", text: "It says hello." }, "stop"),
  ],
})

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const { text, steps } = await generateText({
  model,
  prompt: "What does it say?",
  tools: session.tools({ for: "ai-sdk" }),
  stopWhen: isStepCount(5),
})

assert.equal(text, "It says hello.")
// The model read the whole envelope, with the note that its text was taken for a number.
assert.partialDeepStrictEqual(steps[0]?.toolResults[0]?.output, {
  ok: true,
  result: { stdout: "hello\n", exit_code: 0 },
  warnings: ['timeout_ms: text "5000" read as 5000'],
})
console.log(text, steps[0]?.toolResults[0]?.output)
