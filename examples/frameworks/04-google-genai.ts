// Google's Gen AI SDK: Gemini calls two functions in one turn, and sees the chart that was drawn.
import assert from "node:assert/strict"
import { type Content, GoogleGenAI } from "@google/genai"
import { openToolkeep } from "toolkeep"
import { startModelApi } from "../../test/support/model-api/start-model-api.ts"

const rows = [
  { month: "Jan", sales: 120 },
  { month: "Feb", sales: 90 },
]
const chart = { type: "bar", rows, x: "month", y: "sales", format: "png" }
// A stand-in for the API with a scripted model. Without `baseUrl`, the client asks the real one.
await using api = await startModelApi(
  {
    calls: [
      { name: "chart_render", input: chart },
      { name: "file_read", input: { path: "missing.md" } },
    ],
  },
  { text: "Sales fell in February." },
)
const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: api.url } })

await using keep = await openToolkeep({ host: "memory" })
const session = keep.session()
const contents: Content[] = [{ role: "user", parts: [{ text: "How were sales?" }] }]
let text: string | undefined
while (text === undefined) {
  const response = await client.models.generateContent({
    model: "gemini-3-pro",
    contents,
    config: { tools: [{ functionDeclarations: session.tools({ for: "gemini" }) }] },
  })
  const content = response.candidates?.[0]?.content
  if (content) contents.push(content)
  const calls = response.functionCalls ?? []
  if (calls.length === 0) text = response.text ?? ""
  else contents.push({ role: "user", parts: await session.answer({ for: "gemini", calls }) })
}

assert.partialDeepStrictEqual(contents[2]?.parts, [
  { functionResponse: { parts: [{ inlineData: { mimeType: "image/png" } }] } },
  { functionResponse: { name: "file_read" } },
])
assert.match(String(contents[2]?.parts?.[1]?.functionResponse?.response?.error), /not_found/)
assert.equal(text, "Sales fell in February.")
console.log(text)
