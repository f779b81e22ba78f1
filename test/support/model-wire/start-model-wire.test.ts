import { expect, it } from "vitest"
import { startModelWire } from "./start-model-wire.ts"

const call = { type: "tool_use", id: "t1", name: "read", input: {} }
const result = { type: "tool_result", tool_use_id: "t1", content: "r" }
const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
const messages = (...list: object[]) => ({
  model: "m",
  max_tokens: 9,
  stream: true,
  messages: list,
})

const chatCall = { id: "t1", type: "function", function: { name: "read", arguments: "{}" } }
const chat = (...list: object[]) => ({
  model: "m",
  stream: true,
  stream_options: { include_usage: true },
  messages: list,
})
const asks = { role: "assistant", content: null, tool_calls: [chatCall] }
const told = { role: "tool", tool_call_id: "t1", content: "r" }
const responses = (...input: object[]) => ({ model: "m", stream: true, store: false, input })
const output = { type: "function_call_output", call_id: "t1", output: "r" }
const called = { type: "function_call", call_id: "t1", name: "read", arguments: "{}" }

it.each([
  [
    "messages",
    "nothing of max_tokens",
    { model: "m", stream: true, messages: [said("a")] },
    "max_tokens",
  ],
  ["messages", "an unknown field", { ...messages(said("a")), store: true }, "Extra inputs"],
  ["messages", "an empty text", messages(said("")), "non-empty"],
  ["messages", "a blank text", messages(said(" ")), "non-whitespace"],
  [
    "messages",
    "an answer at the end",
    messages(said("a"), { role: "assistant", content: [{ type: "text", text: "b" }] }),
    "prefill",
  ],
  [
    "messages",
    "a call without an answer",
    messages(said("a"), { role: "assistant", content: [call] }, said("b")),
    "no answer",
  ],
  [
    "messages",
    "two answers",
    messages(
      said("a"),
      { role: "assistant", content: [call] },
      { role: "user", content: [result, result] },
    ),
    "twice",
  ],
  [
    "messages",
    "an answer after a text",
    messages(
      said("a"),
      { role: "assistant", content: [call] },
      { role: "user", content: [{ type: "text", text: "b" }, result] },
    ),
    "come first",
  ],
  [
    "messages",
    "a repeated id",
    messages(
      said("a"),
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ),
    "unique",
  ],
  [
    "messages",
    "a changed signature",
    messages(
      said("a"),
      { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "y" }] },
      said("b"),
    ),
    "signature",
  ],
  [
    "chat/completions",
    "a call without an answer",
    chat(asks, { role: "user", content: "b" }),
    "no answer",
  ],
  [
    "chat/completions",
    "an answer without a call",
    chat({ role: "user", content: "a" }, told),
    "without a call",
  ],
  ["chat/completions", "two answers", chat(asks, told, told), "twice"],
  [
    "chat/completions",
    "an unknown field",
    { ...chat({ role: "user", content: "a" }), system: "s" },
    "Extra inputs",
  ],
  [
    "chat/completions",
    "reasoning",
    chat({ role: "assistant", content: "a", reasoning_content: "r" }),
    "Extra inputs",
  ],
  ["responses", "an answer before its call", responses(output, called), "No tool call found"],
  ["responses", "a call without an answer", responses(called), "no answer"],
  [
    "responses",
    "a reference to what is not stored",
    responses({ type: "item_reference", id: "x" }),
    "Invalid value",
  ],
  [
    "responses",
    "a changed reasoning",
    responses({ type: "reasoning", id: "r", summary: [], encrypted_content: "x" }, called, output),
    "verified",
  ],
] as const)("the stand-in for %s refuses %s", async (path, _what, body, words) => {
  await using wire = await startModelWire({ parts: [{ text: "Yes." }] })
  const headers = { authorization: "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01" }
  const response = await fetch(`${wire.url}/v1/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  })
  const { error } = JSON.parse(await response.text())
  expect([response.status, error.message]).toEqual([400, expect.stringContaining(words)])
})
