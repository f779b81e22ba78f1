import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { expect, it, onTestFinished } from "vitest"
import { pixel } from "../../../test/support/pixel.ts"
import { defineTool } from "../../contract/index.ts"
import { openToolkeep, type Session } from "../index.ts"
import { answerLimits } from "./limits.ts"

interface File {
  readonly filename: string
  readonly mimeType: string
  readonly content: Uint8Array
}

/** A session with a tool that answers with these files. */
async function open(...files: readonly File[]): Promise<Session> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-answers-"))
  const keep = await openToolkeep({ host: "memory", home })
  onTestFinished(async () => {
    await keep.close()
    await rm(home, { recursive: true })
  })
  const session = keep.session()
  const show = defineTool({
    name: "test.show",
    description: "Shows files.",
    input: { type: "object", properties: {}, additionalProperties: false },
    async run() {
      const kept = await Promise.all(files.map((file) => session.artifacts.keep(file)))
      return { text: "Look.", files: kept.map(({ id }) => ({ artifact: { id } })) }
    },
  })
  session.addTools([show])
  return session
}

const png: File = { filename: "a.png", mimeType: "image/png", content: pixel }
const data = pixel.toString("base64")
const success = expect.stringMatching(/^\{"ok":true,"tool":"test.show","result":\{"text":"Look\."/)
const url = `data:image/png;base64,${data}`

const calls = {
  anthropic: { id: "toolu_1", name: "test_show", input: {} },
  openai: { id: "call_1", function: { name: "test_show", arguments: "{}" } },
  "openai-responses": { call_id: "call_1", name: "test_show", arguments: "{}" },
  gemini: { id: "f1", name: "test_show", args: {} },
  "ai-sdk": { toolCallId: "1", toolName: "test_show", input: {} },
  mcp: { name: "test_show" },
} as const

it("O22.artifacts, F20.model: images come back as each API takes them", async () => {
  const session = await open(png)
  expect(await session.answer({ for: "anthropic", call: calls.anthropic })).toEqual({
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: [
      { type: "text", text: success },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ],
    is_error: false,
  })
  const { "openai-responses": responses } = calls
  expect(await session.answer({ for: "openai-responses", call: responses })).toEqual({
    type: "function_call_output",
    call_id: "call_1",
    output: [
      { type: "input_text", text: success },
      { type: "input_image", image_url: url, detail: "auto" },
    ],
  })
  expect(await session.answer({ for: "gemini", call: calls.gemini })).toEqual({
    functionResponse: {
      id: "f1",
      name: "test_show",
      response: { output: success },
      parts: [{ inlineData: { mimeType: "image/png", data } }],
    },
  })
  expect(await session.answer({ for: "ai-sdk", call: calls["ai-sdk"] })).toEqual({
    type: "tool-result",
    toolCallId: "1",
    toolName: "test_show",
    output: {
      type: "content",
      value: [
        { type: "text", text: success },
        { type: "file", mediaType: "image/png", data: { type: "data", data } },
      ],
    },
  })
  expect(await session.answer({ for: "mcp", call: calls.mcp })).toMatchObject({
    content: [
      { type: "text", text: "Look." },
      { type: "image", mimeType: "image/png", data },
    ],
    isError: false,
  })
})

it("O22, F20: chat completions take images only from the user, so they follow all tool messages of a turn", async () => {
  const session = await open(png)
  const [first, second] = [calls.openai, { ...calls.openai, id: "call_2" }]
  const tool = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: success })
  expect(await session.answer({ for: "openai", call: first })).toEqual(tool("call_1"))
  const image = { type: "image_url", image_url: { url, detail: "auto" } }
  expect(await session.answer({ for: "openai", calls: [first, second] })).toEqual([
    tool("call_1"),
    tool("call_2"),
    {
      role: "user",
      content: [
        { type: "text", text: "Images from test_show (call_1):" },
        image,
        { type: "text", text: "Images from test_show (call_2):" },
        image,
      ],
    },
  ])
})

it("C10, F20.model, O8: failures are marked as each API marks them, and the whole envelope is there", async () => {
  const session = await open()
  const bad = JSON.stringify({ pth: "a" })
  const text = expect.stringMatching(/^\{"ok":false,"kind":"invalid_args".*did you mean/)
  const asked = { id: "1", name: "file_read", input: { pth: "a" } }
  expect(await session.answer({ for: "anthropic", call: asked })).toEqual({
    type: "tool_result",
    tool_use_id: "1",
    content: text,
    is_error: true,
  })
  const chat = { id: "1", function: { name: "file_read", arguments: bad } }
  expect(await session.answer({ for: "openai", calls: [chat] })).toEqual([
    { role: "tool", tool_call_id: "1", content: text },
  ])
  const item = { call_id: "1", name: "file_read", arguments: bad }
  expect(await session.answer({ for: "openai-responses", call: item })).toEqual({
    type: "function_call_output",
    call_id: "1",
    output: text,
  })
  const functionCall = { name: "file_read", args: { pth: "a" } }
  expect(await session.answer({ for: "gemini", call: functionCall })).toEqual({
    functionResponse: { name: "file_read", response: { error: text } },
  })
  const part = { toolCallId: "1", toolName: "file_read", input: { pth: "a" } }
  expect(await session.answer({ for: "ai-sdk", call: part })).toMatchObject({
    output: { type: "error-json", value: { ok: false, kind: "invalid_args", field: "pth" } },
  })
  const params = { name: "file_read", arguments: { pth: "a" } }
  expect(await session.answer({ for: "mcp", call: params })).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("invalid_args") }],
  })
  expect(await session.answer({ for: "gemini", call: {} })).toMatchObject({
    functionResponse: { response: { error: expect.stringContaining("tool_not_found") } },
  })
})

it("F20: Gemini gets no key $ref in an object, which its API would take for a reference", async () => {
  const session = await open()
  session.addTools([
    defineTool({
      name: "test.schema",
      description: "Answers with a schema.",
      input: { type: "object", properties: {}, additionalProperties: false },
      run: () => ({ schema: { $ref: "#/$defs/a" } }),
    }),
  ])
  const { functionResponse } = await session.answer({
    for: "gemini",
    call: { name: "test_schema", args: {} },
  })
  expect(functionResponse.response).toEqual({ output: expect.stringContaining('"$ref"') })
})

/** What the model is shown of these files, by Anthropic's form. */
async function shown(...files: readonly File[]): Promise<readonly unknown[]> {
  const session = await open(...files)
  const { content } = await session.answer({ for: "anthropic", call: calls.anthropic })
  if (typeof content === "string") return []
  return content.flatMap((block) => (block.type === "image" ? [block.source.media_type] : []))
}

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#336699" } })

it("O22: an image is shown as what its bytes are, since a wrong name would end the conversation", async () => {
  const jpeg = await image(2, 2).jpeg().toBuffer()
  const gif = {
    filename: "a.gif",
    mimeType: "image/gif",
    content: await image(2, 2).gif().toBuffer(),
  }
  expect(await shown({ ...png, content: jpeg }, gif)).toEqual(["image/jpeg", "image/gif"])
  const session = await open(gif)
  const { functionResponse } = await session.answer({ for: "gemini", call: calls.gemini })
  expect(functionResponse.parts).toBeUndefined()
})

it("O22: what no model takes is only named: other files, broken images, too large ones", async () => {
  const most = answerLimits.imagePixels
  const [fits, wide, tall] = await Promise.all([
    image(most, 1).png().toBuffer(),
    image(most + 1, 1)
      .png()
      .toBuffer(),
    image(1, most + 1)
      .png()
      .toBuffer(),
  ])
  const heavy = Buffer.alloc(answerLimits.mediaBytes + 1)
  pixel.copy(heavy)
  const named: readonly File[] = [
    { filename: "a.svg", mimeType: "image/svg+xml", content: Buffer.from("<svg/>") },
    { filename: "a.wav", mimeType: "audio/wav", content: Buffer.from("RIFF0000WAVE") },
    { ...png, content: Buffer.from("<!doctype html>") },
    { ...png, content: pixel.subarray(0, 12) },
    { ...png, content: wide },
    { ...png, content: tall },
    { ...png, content: heavy },
  ]
  expect(await shown(...named)).toEqual([])
  expect(await shown(...named, { ...png, content: fits })).toEqual(["image/png"])
})

it("O22: one answer shows images up to a size in all, and the first ones", async () => {
  const heavy = Buffer.alloc(answerLimits.mediaBytes)
  pixel.copy(heavy)
  const jpeg = { ...png, content: await image(2, 2).jpeg().toBuffer() }
  const large = { ...png, content: heavy }
  expect(await shown(large, large, large, jpeg)).toEqual(Array(3).fill("image/png"))
  expect(await shown(large, large, jpeg, large)).toEqual(["image/png", "image/png", "image/jpeg"])
  expect(await shown(...Array(answerLimits.artifacts + 1).fill(png))).toHaveLength(
    answerLimits.artifacts,
  )
})
