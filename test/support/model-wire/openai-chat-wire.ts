import { demand, demandFields, type Json } from "../model-api/api.ts"
import { openaiChatApi } from "../model-api/openai-chat-api.ts"
import { callId, halves, type Wire, type WirePart } from "./answer.ts"

const fields =
  "model messages tools tool_choice stream stream_options temperature top_p max_tokens max_completion_tokens stop seed store response_format parallel_tool_calls reasoning_effort"

const finishReasons = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
}

/** OpenAI's Chat Completions. It sends no reasoning and takes none. */
export const openaiChatWire: Wire = {
  path: /^\/v1\/chat\/completions$/,
  check(body, headers) {
    checkBody(body, headers, "role content tool_calls name")
    for (const { tool_calls } of body.messages) {
      for (const { id } of tool_calls ?? []) {
        demand(id.length <= 40, "tool_calls.id: string too long. Expected a maximum length of 40.")
      }
    }
  },
  events: (parts, number) =>
    chunks(
      parts.filter((part) => !("reasoning" in part)),
      number,
    ),
  endEvents: (finish) => [
    chunk({}, finishReasons[finish]),
    {
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: 14,
        completion_tokens: 7,
        total_tokens: 21,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    },
    "[DONE]",
  ],
  errorEvent: ({ code, message }) => ({ error: { message, type: code, code, param: null } }),
  refusal: ({ message, code = null }) => ({
    error: { message, type: code ?? "invalid_request_error", param: null, code },
  }),
}

/** A server that is compatible with it, such as Ollama, llama.cpp or vLLM: needs no key, and sends reasoning. */
export const compatibleWire: Wire = {
  ...openaiChatWire,
  path: /^\/compatible\/v1\/chat\/completions$/,
  check(body, headers) {
    const withKey = { authorization: "Bearer none", ...headers }
    checkBody(body, withKey, "role content tool_calls name reasoning_content")
  },
  events: chunks,
}

function checkBody(
  body: Json,
  headers: Readonly<Record<string, unknown>>,
  assistantFields: string,
): void {
  demandFields(body, fields, "body")
  demand(body.stream_options?.include_usage === true, "The test wants to know the usage.")
  openaiChatApi.check(body, headers)
  for (const [index, message] of body.messages.entries()) {
    const at = `messages[${index}]`
    demand(
      /^(?:system|developer|user|assistant|tool)$/.test(message.role),
      `${at}.role: unexpected`,
    )
    if (message.role === "assistant") checkAssistant(message, at, assistantFields)
    else demand(message.content !== "" && message.content?.length > 0, `${at}.content: is empty`)
  }
}

function checkAssistant(message: Json, at: string, known: string): void {
  demandFields(message, known, at)
  demand(message.content || message.tool_calls, `${at}: content or tool_calls must be provided`)
  for (const { id, function: called } of message.tool_calls ?? []) {
    demand(typeof id === "string" && id !== "", `${at}.tool_calls.id: is empty`)
    let value: Json
    try {
      value = JSON.parse(called.arguments)
    } catch {
      demand(false, `${at}.tool_calls.function.arguments: is not JSON`)
    }
    demand(typeof value === "object" && value, `${at}.tool_calls.function.arguments: not an object`)
  }
}

function chunks(parts: readonly WirePart[], number: number): Json[] {
  const start = chunk({ role: "assistant", content: "" })
  let calls = 0
  const pieces = parts.flatMap((part, index) => {
    if ("text" in part) return halves(part.text).map((content) => chunk({ content }))
    if ("reasoning" in part) {
      return halves(part.reasoning).map((reasoning_content) => chunk({ reasoning_content }))
    }
    const at = calls
    calls += 1
    const id = callId(part, number, index)
    const named = { index: at, id, type: "function", function: { name: part.call, arguments: "" } }
    return [
      chunk({ tool_calls: [named] }),
      ...halves(part.arguments).map((piece) =>
        chunk({ tool_calls: [{ index: at, function: { arguments: piece } }] }),
      ),
    ]
  })
  return [start, ...pieces]
}

function chunk(delta: object, finish_reason: string | null = null): Json {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  }
}
