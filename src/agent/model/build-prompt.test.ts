import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ask, resultsOf, user } from "../../../test/support/model-wire/ask.ts"
import {
  openWireModel,
  wireModelId,
  wireNames,
} from "../../../test/support/model-wire/open-wire-model.ts"
import { startModelWire } from "../../../test/support/model-wire/start-model-wire.ts"
import { pixel } from "../../../test/support/pixel.ts"
import type { AssistantMessage, AssistantPart, Message, ModelCall } from "../messages.ts"
import { buildPrompt } from "./build-prompt.ts"

const usage = { input: 0, output: 0, cached: 0 }

function assistant(content: readonly AssistantPart[], model = "anthropic/m"): AssistantMessage {
  return { role: "assistant", content, finish: "stop", model, usage }
}

function call(id: string, providerId = `p_${id}`): ModelCall & { type: "call" } {
  return { type: "call", id, providerId, tool: "file_read", input: '{"path":"a"}' }
}

function results(...calls: readonly ModelCall[]): Message {
  const content = [{ type: "text" as const, text: "Result." }]
  return { role: "tool", results: calls.map((one) => ({ call: one, content, isError: false })) }
}

function build(messages: readonly Message[]): LanguageModelV4Prompt {
  return buildPrompt({ system: "S", messages, wire: "chat", model: "anthropic/m" })
}

/** Roles and ids, which is what providers are strict about. */
function outline(prompt: LanguageModelV4Prompt): readonly string[] {
  return prompt.slice(1).map(({ role, content }) => {
    const ids = (typeof content === "string" ? [] : content).flatMap((part) =>
      "toolCallId" in part ? [part.toolCallId] : [],
    )
    return [role, ...ids].join(" ")
  })
}

describe("the prompt of a request", () => {
  const [a, b] = [call("a"), call("b")]

  it.each([
    ["a missing answer", [assistant([a, b]), results(b)]],
    ["no answers at all", [assistant([a, b])]],
    ["answers in another order", [assistant([a, b]), results(b, a)]],
    ["answers twice", [assistant([a, b]), results(a, b), results(b, a)]],
    ["an answer that nobody asked for", [assistant([a, b]), results(a, call("x"), b)]],
    ["answers after a person's message", [assistant([a, b]), user("Stop."), results(a, b)]],
    ["an answer before its call", [results(a), assistant([a, b]), results(a, b)]],
  ])(
    "C11, X8: with %s has exactly one answer for each call, directly after it",
    (_what, messages) => {
      const roles = outline(build([user("Go."), ...messages]))
      expect(roles.slice(0, 3)).toEqual(["user", "assistant p_a p_b", "tool p_a p_b"])
      expect(roles.slice(3).filter((role) => role !== "user")).toEqual([])
    },
  )

  it("C11: gives calls of different answers different ids, the same ones each time", () => {
    const again = call("c", "p_a")
    const messages = [user("Go."), assistant([a]), results(a), assistant([again]), results(again)]
    expect(outline(build(messages))).toEqual([
      "user",
      "assistant p_a",
      "tool p_a",
      "assistant p_a_2",
      "tool p_a_2",
    ])
    expect(build(messages)).toEqual(build(messages))
  })

  it("C11: leaves out what only another provider understands, and adapts its ids", () => {
    const metadata = { openai: { itemId: "rs_1" } }
    const foreign = assistant(
      [
        { type: "reasoning", text: "Hm.", metadata },
        { type: "provider", part: { type: "custom", kind: "openai.compaction" } },
        { type: "text", text: "I read." },
        call("k", `functions.read:0 ${"x".repeat(80)}`),
      ],
      "openai/gpt-5",
    )
    const [, , answer] = build([user("Go."), foreign])
    expect(answer?.content).toMatchObject([
      { type: "text", text: "I read." },
      { type: "tool-call", toolCallId: `functions_read_0_${"x".repeat(19)}` },
    ])
  })

  it("C11: has no empty texts, no empty messages, and no answer at its end", () => {
    const prompt = build([
      { role: "user", content: [{ type: "text", text: " " }] },
      user("Go."),
      assistant([{ type: "text", text: "\n\n" }]),
      assistant([{ type: "reasoning", text: "Hm." }]),
      assistant([
        { type: "text", text: "" },
        { type: "text", text: "Half an ans" },
      ]),
    ])
    expect(prompt.slice(1)).toEqual([
      { role: "user", content: [{ type: "text", text: "Go." }] },
      { role: "assistant", content: [{ type: "text", text: "Half an ans" }] },
      { role: "user", content: [{ type: "text", text: "Continue." }] },
    ])
  })

  it("C11: an image that models refuse becomes a sentence, and a wrong type is corrected", () => {
    const data = pixel.toString("base64")
    const large = data.replace(/=*$/, "A".repeat(6_000_000))
    const image = (mediaType: string, bytes: string) => ({
      type: "image" as const,
      mediaType,
      data: bytes,
    })
    const content = [
      image("image/jpeg", data),
      image("image/svg+xml", Buffer.from("<svg xmlns='x'/>").toString("base64")),
      image("image/png", Buffer.from("not an image").toString("base64")),
      image("image/png", large),
    ]
    const [, message] = build([{ role: "user", content }])
    expect(message?.content).toEqual([
      { type: "file", mediaType: "image/png", data: { type: "data", data } },
      {
        type: "text",
        text: "[An image was left out: it is of type image/svg+xml, and models can't read it.]",
      },
      {
        type: "text",
        text: "[An image was left out: it is of type image/png, and models can't read it.]",
      },
      { type: "text", text: "[An image was left out: it is too large for a model.]" },
    ])
  })

  it("C11: marks for Anthropic's cache the instructions, its end and the end of the request before", async () => {
    await using wire = await startModelWire({ parts: [{ text: "Done." }] })
    const model = await openWireModel("anthropic", wire.url)
    const first = assistant([a, b])
    const second = assistant([call("c")])
    const messages = [user("Go."), first, resultsOf(first), second, resultsOf(second)]
    expect(await ask(model, messages)).toMatchObject({ kind: "answered" })
    const { system, messages: sent } = wire.requests[0]?.body ?? {}
    const mark = { type: "ephemeral" }
    expect(system[0].cache_control).toEqual(mark)
    const marked = sent.map(({ content }: { content: { cache_control?: object }[] }) =>
      content.map((block) => block.cache_control !== undefined),
    )
    expect(marked).toEqual([[false], [false, false], [false, true], [false], [true]])
  })
})

/** Conversations that a crash, a person and another provider may have left in any state. */
const conversations = fc
  .array(
    fc.oneof(
      fc.constantFrom("", " ", "Text.").map((text) => ({ user: text })),
      fc.record({
        text: fc.constantFrom("", "\n", "Text."),
        calls: fc.array(
          fc.record({
            id: fc.constantFrom("1", "2", "call:1", "", "x".repeat(70)),
            input: fc.constantFrom("", "{}", '{"a":1}', "[1]", "null", '{"a":', '{"__proto__":1}'),
            answers: fc.integer({ min: 0, max: 2 }),
            isError: fc.boolean(),
            hasImage: fc.boolean(),
          }),
          { maxLength: 3 },
        ),
        isForeign: fc.boolean(),
      }),
    ),
    { maxLength: 6 },
  )
  .map((turns) =>
    turns.flatMap((turn, index) => ("user" in turn ? [user(turn.user)] : toMessages(turn, index))),
  )

interface Turn {
  readonly text: string
  readonly calls: readonly {
    readonly id: string
    readonly input: string
    readonly answers: number
    readonly isError: boolean
    readonly hasImage: boolean
  }[]
  readonly isForeign: boolean
}

function toMessages({ text, calls, isForeign }: Turn, index: number): Message[] {
  const parts = calls.map((one, at): ModelCall & { type: "call" } => ({
    type: "call",
    id: `${index}_${at}`,
    providerId: isForeign ? one.id : `own_${one.id.length}`,
    tool: "file_read",
    input: one.input,
  }))
  const answered = parts.flatMap((part, at) => {
    const { answers = 0, isError = false, hasImage = false } = calls[at] ?? {}
    const image = { type: "image" as const, mediaType: "image/png", data: pixel.toString("base64") }
    const content = [
      { type: "text" as const, text: isError ? "" : "Result." },
      ...(hasImage ? [image] : []),
    ]
    return Array.from({ length: answers }, () => ({ call: part, content, isError }))
  })
  const model = isForeign ? "somewhere/else" : "own"
  return [
    assistant([{ type: "text", text }, ...parts], model),
    { role: "tool", results: answered.reverse() },
  ]
}

describe.each(wireNames)("a conversation in any state over the wire %s", (name) => {
  it("C11, X8: makes a request that the provider accepts", async () => {
    await using wire = await startModelWire(
      ...Array.from({ length: 500 }, () => ({ parts: [{ text: "Yes." }] })),
    )
    const model = await openWireModel(name, wire.url)
    await fc.assert(
      fc.asyncProperty(conversations, async (messages) => {
        const own = messages.map((message) =>
          message.role === "assistant" && message.model === "own"
            ? { ...message, model: wireModelId(name, wire.url) }
            : message,
        )
        const answer = await ask(model, [user("Go."), ...own])
        expect(answer).toMatchObject({ kind: "answered" })
      }),
      { numRuns: 60 },
    )
  })
})
