import { describe, expect, it } from "vitest"
import type { WireAnswer } from "../../../test/support/model-wire/answer.ts"
import { ask, callsOf, resultsOf, tools, user } from "../../../test/support/model-wire/ask.ts"
import {
  openWireModel,
  wireKey,
  wireModelId,
  wireNames,
} from "../../../test/support/model-wire/open-wire-model.ts"
import { startModelWire } from "../../../test/support/model-wire/start-model-wire.ts"
import { pixel } from "../../../test/support/pixel.ts"
import type { AssistantMessage, Message } from "../messages.ts"
import type { ModelDelta } from "./index.ts"

const image = { type: "image", mediaType: "image/png", data: pixel.toString("base64") } as const

describe.each(wireNames)("asking a model over the wire %s", (name) => {
  async function start(...answers: readonly WireAnswer[]) {
    const wire = await startModelWire(...answers)
    return { wire, model: await openWireModel(name, wire.url) }
  }

  it("C11: gives the text of an answer as it comes and as a whole, with why it ended and what it used", async () => {
    const { wire, model } = await start({ parts: [{ text: "Hello there." }] })
    await using _ = wire
    const deltas: ModelDelta[] = []
    const answer = await ask(model, [user("Hi.")], { onDelta: (delta) => deltas.push(delta) })
    expect(answer).toEqual({
      kind: "answered",
      cutOff: [],
      message: {
        role: "assistant",
        content: [{ type: "text", text: "Hello there.", ...metadataOf(answer, 0) }],
        finish: "stop",
        model: wireModelId(name, wire.url),
        usage: { input: 14, output: 7, cached: 4 },
      },
    })
    expect(deltas).toEqual([
      { kind: "text", text: "Hello " },
      { kind: "text", text: "there." },
    ])
  })

  it("C11: answers parallel calls by their ids in a second request that the provider accepts", async () => {
    const { wire, model } = await start(
      {
        parts: [
          { text: "I look at both." },
          { call: "file_read", arguments: '{"path": "a"}' },
          { call: "file_read", arguments: '{"path": "b"}' },
        ],
      },
      { parts: [{ text: "Done." }] },
    )
    await using _ = wire
    const first = await ask(model, [user("Read a and b.")])
    if (first.kind !== "answered") expect.fail(JSON.stringify(first))
    expect(first.message.finish).toBe("tool-calls")
    expect(callsOf(first.message)).toMatchObject([
      { providerId: "call_1_1", tool: "file_read", input: '{"path": "a"}' },
      { providerId: "call_1_2", tool: "file_read", input: '{"path": "b"}' },
    ])
    const messages = [user("Read a and b."), first.message, resultsOf(first.message)]
    expect(await ask(model, messages)).toMatchObject({ kind: "answered" })
    const [before, after] = wire.requests.map(({ body }) => body)
    expect(JSON.stringify(after)).toContain("Result of call_1_2")
    // Caches need the same beginning, apart from the marks of where it ends.
    expect(conversation(after).slice(0, conversation(before).length)).toEqual(conversation(before))
  })

  it("C11: keeps broken arguments as they came, and the conversation goes on", async () => {
    const broken = '{"path": "a", "text": "one\ntwo"'
    const { wire, model } = await start(
      {
        parts: [
          { call: "file_write", arguments: broken },
          { call: "no_such_tool", arguments: "" },
        ],
      },
      { parts: [{ text: "Sorry." }] },
    )
    await using _ = wire
    const first = await ask(model, [user("Write.")])
    if (first.kind !== "answered") expect.fail(JSON.stringify(first))
    expect(first.cutOff).toEqual([])
    const [call, unknown] = callsOf(first.message)
    expect(call?.input).toBe(broken)
    expect(unknown).toMatchObject({ tool: "no_such_tool" })
    const second = await ask(model, [user("Write."), first.message, resultsOf(first.message)])
    expect(second).toMatchObject({ kind: "answered" })
    expect(JSON.stringify(wire.requests[1]?.body)).toContain("invalid_json")
  })

  it("C11: tells calls apart whose provider uses an id twice, in one answer and in two", async () => {
    const repeated: WireAnswer = {
      parts: [
        { call: "file_read", arguments: '{"path":"a"}', id: "same" },
        { call: "file_read", arguments: '{"path":"b"}', id: "same" },
      ],
    }
    const { wire, model } = await start(repeated, repeated, { parts: [{ text: "Done." }] })
    await using _ = wire
    const messages: Message[] = [user("Read.")]
    for (const _turn of [1, 2]) {
      const answer = await ask(model, messages)
      if (answer.kind !== "answered") expect.fail(JSON.stringify(answer))
      const calls = callsOf(answer.message)
      expect(calls.map(({ input }) => input)).toEqual(['{"path":"a"}', '{"path":"b"}'])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
      expect(new Set(calls.map(({ providerId }) => providerId)).size).toBe(2)
      messages.push(answer.message, resultsOf(answer.message))
    }
    expect(await ask(model, messages)).toMatchObject({ kind: "answered" })
  })

  it("C11: sends images of people and of tools as images", async () => {
    const { wire, model } = await start(
      { parts: [{ call: "browser_screenshot", arguments: "{}" }] },
      { parts: [{ text: "A pixel." }] },
    )
    await using _ = wire
    const asked: Message = { role: "user", content: [{ type: "text", text: "Same?" }, image] }
    const first = await ask(model, [asked])
    if (first.kind !== "answered") expect.fail(JSON.stringify(first))
    const shot = { type: "text", text: "Taken." } as const
    const results = resultsOf(first.message, [shot, image])
    expect(await ask(model, [asked, first.message, results])).toMatchObject({ kind: "answered" })
    // The stand-in decodes each image and refuses one that is quoted as text.
    const sent = JSON.stringify(wire.requests[1]?.body)
    expect(sent.split(image.data).length - 1).toBe(2)
    expect(imagesIn(wire.requests[1]?.body)).toBe(2)
  })

  it("C11: says why an answer is not whole, and which call is cut off", async () => {
    const whole = { call: "file_read", arguments: '{"path":"a"}' }
    const cut = { call: "file_write", arguments: '{"path":"b","text":"on' }
    const { wire, model } = await start(
      { parts: [{ text: "It is" }], finish: "length" },
      { parts: [{ text: "I will not." }], finish: "filter" },
      { parts: [whole, cut], finish: "length" },
      { parts: [whole, { call: "file_write", arguments: "" }], finish: "length" },
      { parts: [whole], finish: "length" },
    )
    await using _ = wire
    const finishes = []
    for (let turn = 0; turn < 5; turn += 1) {
      const answer = await ask(model, [user("Go on.")])
      if (answer.kind !== "answered") expect.fail(JSON.stringify(answer))
      const calls = callsOf(answer.message)
      const tools = answer.cutOff.map((id) => calls.find((call) => call.id === id)?.tool)
      finishes.push([answer.message.finish, ...tools])
    }
    expect(finishes).toEqual([
      ["length"],
      ["content-filter"],
      ["length", "file_write"],
      ["length", "file_write"],
      ["length"],
    ])
  })

  it("C11: authenticates with the key, and offers the tools", async () => {
    const { wire, model } = await start({ parts: [{ text: "Yes." }] })
    await using _ = wire
    await ask(model, [user("Hi.")])
    const [request] = wire.requests
    const { "x-api-key": key, authorization } = request?.headers ?? {}
    expect(key ?? authorization?.replace("Bearer ", "")).toBe(wireKey)
    const names = request?.body.tools.map((tool: Named) => tool.function?.name ?? tool.name)
    expect(names).toEqual(tools.map((tool) => tool.name))
  })
})

describe.each(["anthropic", "openai", "compatible"] as const)(
  "reasoning over the wire %s",
  (name) => {
    it("C11: is sent back unchanged, signature and all", async () => {
      const signature = "EqQBCgIYAhIkM2Zh+/=="
      await using wire = await startModelWire(
        {
          parts: [
            { reasoning: "First a, then b.\n", signature },
            { text: "I read." },
            { call: "file_read", arguments: '{"path":"a"}' },
          ],
        },
        { parts: [{ text: "Done." }] },
      )
      const model = await openWireModel(name, wire.url)
      const first = await ask(model, [user("Read.")])
      if (first.kind !== "answered") expect.fail(JSON.stringify(first))
      expect(first.message.content[0]).toMatchObject({
        type: "reasoning",
        text: "First a, then b.\n",
      })
      // As a record keeps it.
      const kept: AssistantMessage = JSON.parse(JSON.stringify(first.message))
      expect(await ask(model, [user("Read."), kept, resultsOf(kept)])).toMatchObject({
        kind: "answered",
      })
      const sent = JSON.stringify(wire.requests[1]?.body)
      expect(sent).toContain(JSON.stringify("First a, then b.\n"))
      // Only its text is on the wire of compatible servers.
      if (name !== "compatible") expect(sent).toContain(signature)
    })
  },
)

interface Named {
  readonly name?: string
  readonly function?: Named
}

function metadataOf(answer: Awaited<ReturnType<typeof ask>>, index: number): object {
  const part = answer.kind === "answered" ? answer.message.content[index] : undefined
  return part && "metadata" in part ? { metadata: part.metadata } : {}
}

// biome-ignore lint/suspicious/noExplicitAny: each wire has another form.
type Body = any

function conversation(body: Body): readonly unknown[] {
  return JSON.parse(
    JSON.stringify(body.messages ?? body.input, (key, value) =>
      key === "cache_control" ? undefined : value,
    ),
  )
}

function imagesIn(value: Body): number {
  if (typeof value !== "object" || value === null) return 0
  const isImage = /^(?:image|input_image|image_url)$/.test(value.type)
  return Object.values(value).reduce<number>((sum, one) => sum + imagesIn(one), isImage ? 1 : 0)
}
