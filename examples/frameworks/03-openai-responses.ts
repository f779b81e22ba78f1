// OpenAI's SDK with the Responses API: a model writes a file, and sees the chart that was drawn from it.
import assert from "node:assert/strict"
import OpenAI from "openai"
import { openToolkeep } from "toolkeep"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const file = { path: "sales.csv", content: "month,sales\nJan,120\nFeb,90\n" }
const chart = { type: "line", path: "sales.csv", x: "month", y: "sales", format: "png" }
// A stand-in for the API with a scripted model. Without `baseURL`, the client asks the real one.
await using api = await startModelApi(
  { calls: [{ name: "file_write", input: file }] },
  { calls: [{ name: "chart_render", input: chart }] },
  { text: "Sales fell in February." },
)
const client = new OpenAI({ apiKey: "none", baseURL: `${api.url}/v1` })

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Draw the sales." }]
let text = ""
while (text === "") {
  const response = await client.responses.create({
    model: "gpt-5.1",
    input,
    tools: session.tools({ for: "openai-responses" }),
  })
  input.push(...(response.output as OpenAI.Responses.ResponseInput))
  const calls = response.output.filter((item) => item.type === "function_call")
  input.push(...(await session.answer({ for: "openai-responses", calls })))
  text = response.output_text
}

const outputs = input.filter((item) => item.type === "function_call_output")
assert.partialDeepStrictEqual(outputs[1]?.output, [{ type: "input_text" }, { type: "input_image" }])
assert.equal(text, "Sales fell in February.")
console.log(text)
