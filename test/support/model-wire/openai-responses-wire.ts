import { demand, demandDataUrl, demandFields, type Json } from "../model-api/api.ts"
import { openaiResponsesApi } from "../model-api/openai-responses-api.ts"
import { callId, halves, type Issued, type Wire, type WirePart } from "./answer.ts"

const fields =
  "model input instructions tools tool_choice stream store include temperature top_p max_output_tokens parallel_tool_calls reasoning text metadata truncation previous_response_id"

const incomplete = { length: "max_output_tokens", filter: "content_filter" }

/** OpenAI's Responses, of an account that stores nothing. */
export const openaiResponsesWire: Wire = {
  path: /^\/v1\/responses$/,
  check(body, headers, issued) {
    demandFields(body, fields, "body")
    openaiResponsesApi.check(body, headers)
    demand(body.store === false, "This organization does not store responses.")
    for (const [index, item] of body.input.entries()) {
      checkItem(item, `input[${index}]`, issued)
      if (item.type === "function_call_output") demandCallBefore(body.input.slice(0, index), item)
      if (item.type === "reasoning") demandFollowed(item, body.input[index + 1])
    }
  },
  events: (parts, number) => [
    { type: "response.created", response: response(number) },
    { type: "response.in_progress", response: response(number) },
    ...parts.flatMap((part, index) => itemEvents(part, number, index)),
  ],
  endEvents: (finish) => {
    const reason = finish === "length" || finish === "filter" ? incomplete[finish] : null
    return [
      {
        type: reason === null ? "response.completed" : "response.incomplete",
        response: {
          ...response(0),
          incomplete_details: reason === null ? null : { reason },
          usage: {
            input_tokens: 14,
            input_tokens_details: { cached_tokens: 4 },
            output_tokens: 7,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 21,
          },
        },
      },
    ]
  },
  errorEvent: (error) => ({
    type: "response.failed",
    sequence_number: 9,
    response: { ...response(0), status: "failed", error, incomplete_details: null, usage: null },
  }),
  refusal: ({ message, code = null }) => ({
    error: { message, type: code ?? "invalid_request_error", param: null, code },
  }),
}

function response(number: number): Json {
  return { id: `resp_${number}`, object: "response", created_at: 1, model: "scripted" }
}

function itemEvents(part: WirePart, number: number, output_index: number): Json[] {
  const id = `item_${number}_${output_index}`
  const at = { item_id: id, output_index }
  const added = (item: object) => ({ type: "response.output_item.added", output_index, item })
  const done = (item: object) =>
    part.open ? [] : [{ type: "response.output_item.done", output_index, item }]
  if ("text" in part) {
    const item = { type: "message", id, role: "assistant", content: [] }
    const pieces = halves(part.text).map((delta) => ({
      type: "response.output_text.delta",
      ...at,
      content_index: 0,
      delta,
    }))
    return [added(item), ...pieces, ...done(item)]
  }
  if ("call" in part) {
    const call_id = callId(part, number, output_index)
    const item = { type: "function_call", id, call_id, name: part.call }
    const pieces = halves(part.arguments).map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...at,
      delta,
    }))
    const whole = { ...item, arguments: part.arguments, status: "completed" }
    return [added({ ...item, arguments: "" }), ...pieces, ...done(whole)]
  }
  const item = { type: "reasoning", id, summary: [] }
  const pieces = halves(part.reasoning).map((delta) => ({
    type: "response.reasoning_summary_text.delta",
    ...at,
    summary_index: 0,
    delta,
  }))
  return [
    added(item),
    { type: "response.reasoning_summary_part.added", ...at, summary_index: 0 },
    ...pieces,
    { type: "response.reasoning_summary_part.done", ...at, summary_index: 0 },
    ...done({ ...item, encrypted_content: part.signature }),
  ]
}

function checkItem(item: Json, at: string, issued: Issued): void {
  switch (item.type ?? "message") {
    case "message":
      checkMessage(item, at)
      break
    case "function_call":
      demandFields(item, "type call_id name arguments id status", at)
      demand(typeof item.arguments === "string", `${at}.arguments: expected a string`)
      demand(item.call_id.length <= 64, `${at}.call_id: string too long`)
      break
    case "function_call_output":
      break
    case "reasoning": {
      demandFields(item, "type id summary encrypted_content", at)
      const text = item.summary.map((part: Json) => part.text).join("")
      const isOwn = issued.get(item.encrypted_content) === text
      demand(isOwn, "The encrypted content could not be verified.")
      break
    }
    default:
      // An item_reference too: nothing is stored that it could refer to.
      demand(false, `${at}.type: Invalid value: '${item.type}'`)
  }
}

function checkMessage({ role, content }: Json, at: string): void {
  demand(/^(?:system|developer|user|assistant)$/.test(role), `${at}.role: unexpected ${role}`)
  demand(content.length > 0, `${at}.content: must not be empty`)
  for (const part of typeof content === "string" ? [] : content) {
    if (part.type === "input_image") demandDataUrl(part.image_url)
    else demand(part.text !== "", `${at}.content: text must not be empty`)
  }
}

function demandCallBefore(items: readonly Json[], { call_id }: Json): void {
  const isAsked = items.some((item) => item.type === "function_call" && item.call_id === call_id)
  demand(isAsked, `No tool call found for function call output with call_id ${call_id}.`)
}

function demandFollowed({ id }: Json, next: Json): void {
  demand(
    next && next.role !== "user",
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
  )
}
