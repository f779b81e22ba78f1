import type {
  LanguageModelV4,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import { describe, expect, it, vi } from "vitest"
import { manualClock } from "../../../test/support/manual-clock.ts"
import { ask, callsOf, resultsOf, user } from "../../../test/support/model-wire/ask.ts"

const none: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}
const end: LanguageModelV4StreamPart = {
  type: "finish",
  finishReason: { unified: "stop", raw: undefined },
  usage: none,
}
const hello: LanguageModelV4StreamPart = { type: "text-delta", id: "1", delta: "Hello." }

/** A model that a program brings along. */
function ownModel(doStream: LanguageModelV4["doStream"]): LanguageModelV4 {
  const doGenerate = () => expect.fail("Only streams are asked for.")
  const common = { specificationVersion: "v4", provider: "acme.chat", modelId: "m" } as const
  return { ...common, supportedUrls: {}, doGenerate, doStream }
}

function streamOf(parts: readonly LanguageModelV4StreamPart[], onCancel?: () => void) {
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      if (!onCancel) controller.close()
    },
    cancel: () => onCancel?.(),
  })
}

describe("a model that a program brings along", () => {
  it("C11: is named after its provider and its id", async () => {
    const model = ownModel(async () => ({ stream: streamOf([hello, end]) }))
    expect(await ask(model, [user("Hi.")])).toMatchObject({
      kind: "answered",
      message: { model: "acme/m", content: [{ type: "text", text: "Hello." }] },
    })
  })

  it("C11: that ignores an abort is left, and its stream is cancelled when it comes", async () => {
    const cancelled = Promise.withResolvers<void>()
    const late = Promise.withResolvers<{ stream: ReadableStream<LanguageModelV4StreamPart> }>()
    const controller = new AbortController()
    const asked = ask(
      ownModel(() => late.promise),
      [user("Hi.")],
      { signal: controller.signal },
    )
    controller.abort()
    expect(await asked).toMatchObject({ kind: "aborted", message: { content: [] } })
    late.resolve({ stream: streamOf([hello], cancelled.resolve) })
    await cancelled.promise
  })

  it("C11: whose stream stays open after the answer does not delay it for long", async () => {
    const cancelled = Promise.withResolvers<void>()
    const clock = manualClock()
    const model = ownModel(async () => ({ stream: streamOf([hello, end], cancelled.resolve) }))
    const asked = ask(model, [user("Hi.")], { clock })
    const timer = setInterval(() => clock.advance(1000), 1)
    try {
      expect(await asked).toMatchObject({ kind: "answered", message: { finish: "stop" } })
    } finally {
      clearInterval(timer)
    }
    await cancelled.promise
  })

  it("C11: answers also when a listener throws", async () => {
    const silent = vi.spyOn(console, "error").mockImplementation(() => {})
    const model = ownModel(async () => ({ stream: streamOf([hello, end]) }))
    const onDelta = () => {
      throw new Error("No.")
    }
    expect(await ask(model, [user("Hi.")], { onDelta })).toMatchObject({ kind: "answered" })
    expect(silent).toHaveBeenCalledOnce()
    silent.mockRestore()
  })

  it("C11: gets back what only its provider understands, beside a call that it made itself", async () => {
    const prompts: unknown[] = []
    const providerMetadata = { acme: { opaque: "as it is" } }
    const searched = { toolCallId: "s1", toolName: "search" }
    const model = ownModel(async ({ prompt }) => {
      prompts.push(prompt)
      const parts: LanguageModelV4StreamPart[] = [
        { type: "tool-call", ...searched, input: '{"q":"x"}', providerExecuted: true },
        { type: "tool-result", ...searched, result: { found: 1 }, providerMetadata },
        { type: "custom", kind: "acme.state", providerMetadata },
        { type: "tool-call", toolCallId: "c1", toolName: "file_read", input: "{}" },
        end,
      ]
      return { stream: streamOf(parts) }
    })
    const first = await ask(model, [user("Hi.")])
    if (first.kind !== "answered") expect.fail(JSON.stringify(first))
    expect(callsOf(first.message)).toMatchObject([{ tool: "file_read" }])
    const kept = JSON.parse(JSON.stringify(first.message))
    await ask(model, [user("Hi."), kept, resultsOf(kept)])
    expect(prompts[1]).toMatchObject([
      { role: "system" },
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", ...searched, input: { q: "x" }, providerExecuted: true },
          {
            type: "tool-result",
            ...searched,
            output: { type: "json", value: { found: 1 } },
            providerOptions: providerMetadata,
          },
          { type: "custom", kind: "acme.state", providerOptions: providerMetadata },
          { type: "tool-call", toolCallId: "c1", toolName: "file_read" },
        ],
      },
      { role: "tool", content: [{ toolCallId: "c1" }] },
    ])
  })

  it("C11: may ask for a thousand calls in one answer", async () => {
    const calls = Array.from(
      { length: 1000 },
      (_one, index): LanguageModelV4StreamPart => ({
        type: "tool-call",
        toolCallId: "same",
        toolName: "file_read",
        input: `{"n":${index}}`,
      }),
    )
    const model = ownModel(async () => ({ stream: streamOf([...calls, end]) }))
    const answer = await ask(model, [user("Hi.")])
    if (answer.kind !== "answered") expect.fail(JSON.stringify(answer))
    const found = callsOf(answer.message)
    expect(new Set(found.map(({ providerId }) => providerId)).size).toBe(1000)
    expect(found.map(({ input }) => input)).toEqual(calls.map((_one, index) => `{"n":${index}}`))
  })
})
