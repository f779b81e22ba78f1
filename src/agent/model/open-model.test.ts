import { describe, expect, it } from "vitest"
import { scriptedModel } from "../../../test/support/agent/scripted-model.ts"
import { ask, user } from "../../../test/support/model-wire/ask.ts"
import { startModelWire } from "../../../test/support/model-wire/start-model-wire.ts"
import { failureFrom } from "../../contract/index.ts"
import { modelName, type OpenModelOptions, openModel, policyProvider } from "./index.ts"

const key = "sk-ant-4f8h2k6m9q1s3v5x"

async function problem(id: string, options: OpenModelOptions = {}) {
  try {
    await openModel(id, { environment: {}, ...options })
  } catch (error) {
    return failureFrom(error)
  }
  return expect.fail(`${id} was opened.`)
}

describe("opening a model", () => {
  it.each([
    ["anthropic/claude-sonnet-4-5", "@ai-sdk/anthropic", "4"],
    ["openai/gpt-5", "@ai-sdk/openai", "4"],
    ["openai-chat/gpt-4.1", "@ai-sdk/openai", "4"],
    ["http://127.0.0.1:11434/v1#qwen3", "@ai-sdk/openai-compatible", "3"],
  ])("C11: %s without its package names the command that installs it", async (id, name, major) => {
    expect(await problem(id, { apiKey: key, findVersion: () => null })).toMatchObject({
      kind: "unavailable",
      message: `The model ${id} needs ${name}: run \`npm install ${name}@${major}\`.`,
      retryable: false,
    })
  })

  it.each([
    ["anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"],
    ["openai/gpt-5", "OPENAI_API_KEY"],
    ["openai-chat/gpt-4.1", "OPENAI_API_KEY"],
  ])("C11: %s without a key names the command that sets it", async (id, variable) => {
    for (const environment of [{}, { [variable]: "" }, { [variable]: " \n" }]) {
      expect(await problem(id, { environment })).toMatchObject({
        kind: "unavailable",
        message: `The model ${id} needs an API key: run \`export ${variable}=...\`.`,
      })
    }
  })

  it.each([
    "",
    "claude",
    "google/gemini",
    "anthropic/",
    "openai/gpt 5",
    "file:///v1#x",
    "\u001b[2J",
  ])("C11: the id %j is answered with examples", async (id) => {
    const { kind, message } = await problem(id)
    expect(kind).toBe("invalid_args")
    expect(message).toContain("anthropic/claude-sonnet-4-5, openai/gpt-5, ")
    expect(message).not.toContain("\u001b")
  })

  it("C11: no sentence about an address or a key repeats a secret", async () => {
    const sentences = [
      await problem(`http://me:${key}@127.0.0.1/v1#m`),
      await problem(`http://127.0.0.1/v1?key=${key}#m`),
      await problem(`http://127.0.0.1:99999999/${key}#m`),
      await problem("http://127.0.0.1/v1"),
      await problem("anthropic/m", { apiKey: `${key}\nx` }),
      await problem("anthropic/m", { apiKey: key, baseUrl: `http://me:${key}@host` }),
      await problem("openai/m", { apiKey: key, environment: { OPENAI_BASE_URL: "host:1" } }),
    ].map(({ message }) => message)
    expect(sentences.join("\n")).not.toContain(key)
    expect(sentences).toEqual([
      "The address of a model can't hold a login or a query. Set the key with `export OPENAI_API_KEY=...`.",
      "The address of a model can't hold a login or a query. Set the key with `export OPENAI_API_KEY=...`.",
      expect.stringContaining("is not a URL"),
      expect.stringContaining("lacks the name of the model"),
      "ANTHROPIC_API_KEY has characters that no API key has. Set it again.",
      expect.stringContaining("ANTHROPIC_BASE_URL is not a usable address"),
      expect.stringContaining("OPENAI_BASE_URL is not a usable address"),
    ])
  })

  it("C11: takes keys and addresses from the environment, with or without the version at Anthropic's", async () => {
    await using wire = await startModelWire(
      ...Array.from({ length: 4 }, () => ({ parts: [{ text: "Yes." }] })),
    )
    const anthropic = { ANTHROPIC_API_KEY: `${key}\n`, ANTHROPIC_BASE_URL: `${wire.url}/` }
    const openai = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${wire.url}/v1` }
    for (const [id, environment] of [
      ["anthropic/claude-new", anthropic],
      ["anthropic/claude-new", { ...anthropic, ANTHROPIC_BASE_URL: `${wire.url}/v1` }],
      ["openai/gpt-5", openai],
      ["openai-chat/gpt-5", openai],
    ] as const) {
      const model = await openModel(id, { environment })
      expect(modelName(model)).toBe(id)
      expect(await ask(model, [user("Hi.")])).toMatchObject({ kind: "answered" })
    }
    // The provider does not know this model, and would allow it 4096 tokens.
    expect(wire.requests[0]?.body.max_tokens).toBe(32_000)
    expect(wire.requests[0]?.headers["x-api-key"]).toBe(key)
  })

  it("C11: asks a compatible server without a key, and with one where it is set", async () => {
    await using wire = await startModelWire({ parts: [{ text: "1" }] }, { parts: [{ text: "2" }] })
    const id = `${wire.url}/compatible/v1/#org/qwen3:8b`
    const named = `${wire.url}/compatible/v1#org/qwen3:8b`
    for (const environment of [{}, { OPENAI_API_KEY: key }]) {
      const model = await openModel(id, { environment })
      expect(await ask(model, [user("Hi.")])).toMatchObject({ message: { model: named } })
    }
    expect(wire.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      `Bearer ${key}`,
    ])
    expect(wire.requests[0]?.body.model).toBe("org/qwen3:8b")
  })
})

it.each([
  ["anthropic.messages", "anthropic"],
  ["openai.responses", "openai"],
  ["openai-chat", "openai"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"],
])("Y8.provider: policies call the provider %s %s", (provider, name) => {
  expect(policyProvider({ ...scriptedModel([]), provider })).toBe(name)
})
