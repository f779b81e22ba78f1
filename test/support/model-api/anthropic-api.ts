import {
  type Api,
  demand,
  demandFields,
  demandImage,
  demandPairs,
  demandTools,
  type Json,
} from "./api.ts"

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const toolFields =
  "name description input_schema cache_control defer_loading type strict eager_input_streaming"

/** Anthropic's Messages. */
export const anthropicApi: Api = {
  path: /^\/v1\/messages$/,
  check(body, headers) {
    demand(headers["x-api-key"] ?? headers.authorization, "x-api-key header is required")
    demand(headers["anthropic-version"], "anthropic-version: header is required")
    demand(Number.isInteger(body.max_tokens), "max_tokens: Field required")
    const tools: Json[] = body.tools ?? []
    for (const tool of tools) demandFields(tool, toolFields, "tools")
    demandTools(
      tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
      /^[a-zA-Z0-9_-]{1,128}$/,
    )
    const messages: Json[] = body.messages
    demand(messages?.[0]?.role === "user", "messages: first message must use the user role")
    let calls: Json[] = []
    for (const [index, { role, content }] of messages.entries()) {
      const blocks: Json[] = typeof content === "string" ? [{ type: "text" }] : content
      demand(blocks.length > 0, `messages.${index}: content must not be empty`)
      const results = blocks.filter(({ type }) => type === "tool_result")
      demand(results.length === 0 || role === "user", "tool_result: only in the user role")
      demandPairs(
        calls,
        results.map(({ tool_use_id }) => tool_use_id),
        `messages.${index}: tool_use and tool_result`,
      )
      for (const result of results) checkResult(result)
      calls = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id)
    }
  },
  answer: (turn, id) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content:
      "text" in turn
        ? [{ type: "text", text: turn.text, citations: null }]
        : turn.calls.map((call, index) => ({
            type: "tool_use",
            id: `toolu_${id(index)}`,
            ...call,
          })),
    stop_reason: "text" in turn ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  refusal: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
}

function checkResult(result: Json): void {
  demandFields(result, "type tool_use_id content is_error cache_control", "tool_result")
  if (typeof result.content === "string") return
  for (const block of result.content) {
    if (block.type === "text") {
      demand(typeof block.text === "string" && block.text !== "", "text: must be non-empty")
      continue
    }
    demand(block.type === "image", `tool_result.content: unexpected ${block.type}`)
    demand(!result.is_error, "tool_result.content: all content must be text if is_error is true")
    demandFields(block.source, "type media_type data", "image.source")
    demandImage(block.source.media_type, block.source.data, imageTypes)
  }
}
