import { LLMock } from "@copilotkit/aimock"
import { describe, expect, it } from "vitest"
import { ask, callsOf, resultsOf, user } from "../../../test/support/model-wire/ask.ts"
import { openModel } from "./index.ts"

/** A stand-in that others wrote, so that not only our own judges what we send. */
async function startMock() {
  const mock = new LLMock({ port: 0 })
  mock.on({ userMessage: "Read a.", hasToolResult: true }, { content: "It says hello." })
  mock.on(
    { userMessage: "Read a.", hasToolResult: false },
    { toolCalls: [{ name: "file_read", arguments: '{"path":"a"}' }] },
  )
  await mock.start()
  return Object.assign(mock, { [Symbol.asyncDispose]: () => mock.stop() })
}

describe("a model that is played by aimock", () => {
  it.each([
    ["Anthropic's Messages", (url: string) => ["anthropic/claude-sonnet-4-5", url]],
    ["OpenAI's Responses", (url: string) => ["openai/gpt-5", `${url}/v1`]],
    ["OpenAI's Chat Completions", (url: string) => ["openai-chat/gpt-4.1", `${url}/v1`]],
    ["a compatible server", (url: string) => [`${url}/v1#qwen3`, `${url}/v1`]],
  ] as const)(
    "C11: calls a tool and gets its result over the wire of %s",
    async (_what, addressOf) => {
      await using mock = await startMock()
      const [id = "", baseUrl = ""] = addressOf(mock.url)
      const model = await openModel(id, { apiKey: "sk-mock-key", baseUrl, environment: {} })
      const asked = user("Read a.")
      const first = await ask(model, [asked])
      if (first.kind !== "answered") expect.fail(JSON.stringify(first))
      expect(first.message.finish).toBe("tool-calls")
      expect(callsOf(first.message)).toMatchObject([{ tool: "file_read", input: '{"path":"a"}' }])
      const second = await ask(model, [asked, first.message, resultsOf(first.message)])
      if (second.kind !== "answered") expect.fail(JSON.stringify(second))
      expect(second.message.finish).toBe("stop")
      expect(second.message.content.at(-1)).toMatchObject({ text: "It says hello." })
    },
  )

  it.each([
    ["anthropic/claude-sonnet-4-5", ""],
    ["openai-chat/gpt-4.1", "/v1"],
  ])("C11: refuses %s with a status that becomes a sentence", async (id, path) => {
    await using mock = await startMock()
    mock.nextRequestError(403, { message: "Not for you.", type: "permission_error" })
    const options = { apiKey: "sk-mock-key", baseUrl: `${mock.url}${path}`, environment: {} }
    expect(await ask(await openModel(id, options), [user("Read a.")])).toMatchObject({
      kind: "failed",
      failure: {
        message: `${id} denied access (403): Not for you. Check what the API key may use.`,
      },
    })
  })
})
