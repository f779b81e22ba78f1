import { anthropicApi } from "../model-api/anthropic-api.ts"
import { demand, demandDataUrl, demandFields, type Json } from "../model-api/api.ts"
import { callId, halves, type Issued, type Wire, type WirePart } from "./answer.ts"

const fields =
  "model max_tokens messages system tools tool_choice stream temperature top_p top_k stop_sequences metadata thinking service_tier"

const stopReasons = { stop: "end_turn", calls: "tool_use", length: "max_tokens", filter: "refusal" }

/** Anthropic's Messages. */
export const anthropicWire: Wire = {
  path: /^\/v1\/messages$/,
  check(body, headers, issued) {
    demandFields(body, fields, "body")
    anthropicApi.check(body, headers)
    for (const block of body.system ?? []) demandText(block, "system")
    const messages: Json[] = body.messages
    demand(
      messages.at(-1)?.role === "user",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    )
    for (const [index, message] of messages.entries()) {
      checkMessage(message, `messages.${index}`, issued)
    }
    demandUniqueIds(messages)
    const marks = JSON.stringify(body).split('"cache_control"').length - 1
    demand(marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
  },
  events: (parts, number) => [
    {
      type: "message_start",
      message: {
        id: `msg_${number}`,
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 },
      },
    },
    { type: "ping" },
    ...parts.flatMap((part, index) => blockEvents(part, number, index)),
  ],
  endEvents: (finish) => [
    {
      type: "message_delta",
      delta: { stop_reason: stopReasons[finish], stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: "message_stop" },
  ],
  errorEvent: ({ code, message }) => ({ type: "error", error: { type: code, message } }),
  refusal: ({ message, code = "invalid_request_error" }) => ({
    type: "error",
    error: { type: code, message },
  }),
}

function blockEvents(part: WirePart, number: number, index: number): Json[] {
  const start = (content_block: object) => ({ type: "content_block_start", index, content_block })
  const delta = (one: object) => ({ type: "content_block_delta", index, delta: one })
  const stop = part.open ? [] : [{ type: "content_block_stop", index }]
  if ("text" in part) {
    const pieces = halves(part.text).map((text) => delta({ type: "text_delta", text }))
    return [start({ type: "text", text: "" }), ...pieces, ...stop]
  }
  if ("call" in part) {
    const id = callId(part, number, index)
    const pieces = halves(part.arguments).map((partial_json) =>
      delta({ type: "input_json_delta", partial_json }),
    )
    return [start({ type: "tool_use", id, name: part.call, input: {} }), ...pieces, ...stop]
  }
  const pieces = halves(part.reasoning).map((thinking) =>
    delta({ type: "thinking_delta", thinking }),
  )
  const { signature } = part
  const signed = part.open ? [] : [delta({ type: "signature_delta", signature })]
  return [start({ type: "thinking", thinking: "", signature: "" }), ...pieces, ...signed, ...stop]
}

function checkMessage({ role, content }: Json, at: string, issued: Issued): void {
  demand(role === "user" || role === "assistant", `${at}.role: unexpected ${role}`)
  const firstOther = content.findIndex(({ type }: Json) => type !== "tool_result")
  const lastResult = content.findLastIndex(({ type }: Json) => type === "tool_result")
  demand(
    firstOther < 0 || firstOther > lastResult,
    `${at}: tool_result blocks must come first in the content`,
  )
  for (const [index, block] of content.entries()) {
    const place = `${at}.content.${index}`
    if (block.type === "text") demandText(block, place)
    if (block.type === "image") {
      demandDataUrl(`data:${block.source.media_type};base64,${block.source.data}`)
    }
    if (block.type === "tool_use") {
      const isDictionary = typeof block.input === "object" && !Array.isArray(block.input)
      demand(
        isDictionary && block.input,
        `${place}.tool_use.input: Input should be a valid dictionary`,
      )
    }
    if (block.type === "thinking") {
      const isSigned = issued.get(block.signature) === block.thinking
      demand(isSigned, `${place}: Invalid \`signature\` in \`thinking\` block`)
      demandFields(block, "type thinking signature", place)
    }
  }
}

function demandText(block: Json, at: string): void {
  demandFields(block, "type text cache_control citations", at)
  demand(block.text !== "", `${at}: text content blocks must be non-empty`)
  demand(block.text.trim() !== "", `${at}: text content blocks must contain non-whitespace text`)
}

function demandUniqueIds(messages: readonly Json[]): void {
  const blocks: Json[] = messages.flatMap(({ content }) => content)
  const ids = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id)
  for (const id of ids) {
    demand(
      /^[a-zA-Z0-9_-]+$/.test(id),
      "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    )
  }
  demand(new Set(ids).size === ids.length, "messages: `tool_use` ids must be unique")
}
