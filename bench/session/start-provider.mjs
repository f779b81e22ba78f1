// The reference: a script that imports the provider and asks.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"

const model = createOpenAICompatible({ name: "model", baseURL: process.argv[2] })("model")
const content = [{ type: "text", text: "Say hello." }]
await model.doStream({ prompt: [{ role: "user", content }] })
