import {
  type Api,
  demand,
  demandDataUrl,
  demandFields,
  demandPairs,
  demandTools,
  type Json,
} from "./api.ts"

/** OpenAI's chat completions. */
export const openaiChatApi: Api = {
  path: /^\/v1\/chat\/completions$/,
  check(body, headers) {
    demand(String(headers.authorization).startsWith("Bearer "), "You didn't provide an API key.")
    const tools: Json[] = body.tools ?? []
    for (const tool of tools) {
      demand(tool.type === "function", "tools: Invalid value for type")
      demandFields(tool.function, "name description parameters strict", "tools.function")
    }
    demandTools(
      tools.map((tool) => ({ name: tool.function.name, schema: tool.function.parameters })),
      /^[a-zA-Z0-9_-]{1,64}$/,
    )
    checkMessages(body.messages)
  },
  answer: (turn, id) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          refusal: null,
          content: "text" in turn ? turn.text : null,
          ...("calls" in turn && {
            tool_calls: turn.calls.map(({ name, input }, index) => ({
              id: `call_${id(index)}`,
              type: "function",
              function: { name, arguments: JSON.stringify(input) },
            })),
          }),
        },
        logprobs: null,
        finish_reason: "text" in turn ? "stop" : "tool_calls",
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  refusal: (message) => ({
    error: { message, type: "invalid_request_error", param: null, code: null },
  }),
}

/** The tool messages for the calls of a turn follow it directly, before anything else. */
function checkMessages(messages: readonly Json[]): void {
  let calls: Json[] = []
  let answers: Json[] = []
  const endTurn = () => demandPairs(calls, answers, "messages: tool_calls and tool messages")
  for (const message of messages) {
    const parts: Json[] = Array.isArray(message.content) ? message.content : []
    if (message.role === "tool") {
      demandFields(message, "role tool_call_id content name", "messages.tool")
      demand(
        parts.every(({ type }) => type === "text"),
        "messages.tool.content: only text is supported",
      )
      answers.push(message.tool_call_id)
      continue
    }
    endTurn()
    answers = []
    calls = (message.tool_calls ?? []).map(({ id }: Json) => id)
    for (const part of parts.filter(({ type }) => type === "image_url")) {
      demand(message.role === "user", "messages: image_url is only supported in the user role")
      demandDataUrl(part.image_url.url)
    }
  }
  endTurn()
}
