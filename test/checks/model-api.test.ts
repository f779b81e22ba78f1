import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ModelApi, startModelApi } from "../support/model-api/start-model-api.ts"
import { pixel } from "../support/pixel.ts"

const png = pixel.toString("base64")
const keys = { authorization: "Bearer x", "anthropic-version": "2023-06-01", "x-goog-api-key": "x" }
const schema = { type: "object", properties: { path: { type: "string" } } }

let api: ModelApi
beforeAll(async () => {
  api = await startModelApi(...Array(20).fill({ text: "Done." }))
})
afterAll(() => api[Symbol.asyncDispose]())

async function post(path: string, body: object, headers: Record<string, string> = keys) {
  const init = { method: "POST", headers, body: JSON.stringify(body) }
  const response = await fetch(`${api.url}${path}`, init)
  return { status: response.status, text: await response.text() }
}

/** What is fine, and what is wrong with the same request changed a little. */
type Refused = readonly [what: string, body: object, message: RegExp]
interface Case {
  readonly path: string
  readonly good: object
  readonly bad: readonly Refused[]
}

const user = { role: "user", content: "Hello" }

const anthropic = (content: unknown, more: object = {}, id = "1") => ({
  max_tokens: 1,
  tools: [{ name: "file_read", description: "Reads.", input_schema: schema }],
  messages: [
    user,
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "file_read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...more }] },
  ],
})
const anthropicImage = (media_type: string, data = png) => [
  { type: "image", source: { type: "base64", media_type, data } },
]

const chat = (...after: readonly object[]) => ({
  tools: [{ type: "function", function: { name: "file_read", parameters: schema } }],
  messages: [
    user,
    {
      role: "assistant",
      tool_calls: [{ id: "1", type: "function", function: { name: "file_read", arguments: "{}" } }],
    },
    ...after,
  ],
})
const toolMessage = (tool_call_id: string, content: unknown = "x") => ({
  role: "tool",
  tool_call_id,
  content,
})

const responses = (output: unknown, tool: object = { strict: false }, call_id = "1") => ({
  tools: [{ type: "function", name: "file_read", parameters: schema, ...tool }],
  input: [
    user,
    { type: "function_call", call_id: "1", name: "file_read", arguments: "{}" },
    { type: "function_call_output", call_id, output },
  ],
})

const gemini = (answer: object, parameters: object = schema) => ({
  tools: [{ functionDeclarations: [{ name: "file_read", parametersJsonSchema: parameters }] }],
  contents: [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ functionCall: { id: "1", name: "file_read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { id: "1", name: "file_read", ...answer } }] },
  ],
})
const inline = (mimeType: string) => ({
  response: {},
  parts: [{ inlineData: { mimeType, data: png } }],
})

const cases: Readonly<Record<string, Case>> = {
  anthropic: {
    path: "/v1/messages",
    good: anthropic(anthropicImage("image/png")),
    bad: [
      ["an answer to another call", anthropic("x", {}, "2"), /no answer for the calls 1/],
      ["an unknown field", anthropic("x", { images: [] }), /images: Extra inputs/],
      ["another image than declared", anthropic(anthropicImage("image/jpeg")), /but is image\/png/],
      ["a type that it can't read", anthropic(anthropicImage("image/tiff")), /Unsupported/],
      [
        "a failure with an image",
        anthropic(anthropicImage("image/png"), { is_error: true }),
        /all/,
      ],
    ],
  },
  "chat completions": {
    path: "/v1/chat/completions",
    good: chat(toolMessage("1"), user),
    bad: [
      ["a call without an answer", chat(user), /no answer for the calls 1/],
      ["an answer without a call", chat(toolMessage("1"), toolMessage("2")), /without a call: 2/],
      ["an image in a tool message", chat(toolMessage("1", [{ type: "image_url" }])), /only text/],
    ],
  },
  responses: {
    path: "/v1/responses",
    good: responses([
      { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
    ]),
    bad: [
      ["an answer to another call", responses("x", { strict: false }, "2"), /no answer/],
      ["optional arguments of a strict tool", responses("x", {}), /Missing 'path'/],
      ["content of another API", responses([{ type: "text", text: "x" }]), /unexpected text/],
    ],
  },
  gemini: {
    path: "/v1beta/models/gemini-3-pro:generateContent",
    good: gemini(inline("image/png")),
    bad: [
      ["an answer to another function", gemini({ name: "other", response: {} }), /no answer/],
      ["a reference in an answer", gemini({ response: { a: { $ref: "b" } } }), /refers to no part/],
      ["a GIF", gemini(inline("image/gif")), /Unsupported/],
      [
        "a description beside a reference",
        gemini({ response: {} }, { ...schema, items: { $ref: "#/$defs/a", description: "b" } }),
        /alongside/,
      ],
    ],
  },
}

describe.each(Object.entries(cases))("the stand-in for the API of %s", (_, { path, good, bad }) => {
  it("takes a whole turn", async () => {
    expect(await post(path, good)).toEqual({ status: 200, text: expect.stringContaining("Done.") })
  })
  it("refuses a request without a key", async () => {
    expect(await post(path, good, {})).toMatchObject({ status: 400 })
  })
  it.each(bad)("refuses %s", async (_what, body, message) => {
    const { status, text } = await post(path, body)
    expect({ status, text }).toEqual({ status: 400, text: expect.stringMatching(message) })
  })
})
