import {
  type Api,
  demand,
  demandDataUrl,
  demandFields,
  demandPairs,
  demandTools,
  type Json,
} from "./api.ts"

/** OpenAI's Responses. */
export const openaiResponsesApi: Api = {
  path: /^\/v1\/responses$/,
  check(body, headers) {
    demand(String(headers.authorization).startsWith("Bearer "), "You didn't provide an API key.")
    const tools: Json[] = body.tools ?? []
    for (const tool of tools) checkTool(tool)
    demandTools(
      tools.map(({ name, parameters }) => ({ name, schema: parameters })),
      /^[a-zA-Z0-9_-]{1,64}$/,
    )
    const items: Json[] = typeof body.input === "string" ? [] : body.input
    const callIds = (type: string) =>
      items.filter((item) => item.type === type).map(({ call_id }) => call_id)
    demandPairs(callIds("function_call"), callIds("function_call_output"), "input: function calls")
    for (const item of items.filter(({ type }) => type === "function_call_output")) {
      demandFields(item, "type call_id output id status", "input.function_call_output")
      for (const part of typeof item.output === "string" ? [] : item.output) checkPart(part)
    }
  },
  answer: (turn, id) => ({
    id: "resp_1",
    object: "response",
    created_at: 0,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    model: "scripted",
    output:
      "text" in turn
        ? [
            {
              type: "message",
              id: "msg_1",
              status: "completed",
              role: "assistant",
              content: [{ type: "output_text", text: turn.text, annotations: [] }],
            },
          ]
        : turn.calls.map(({ name, input }, index) => ({
            type: "function_call",
            id: `fc_${id(index)}`,
            call_id: `call_${id(index)}`,
            name,
            arguments: JSON.stringify(input),
            status: "completed",
          })),
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  }),
  refusal: (message) => ({
    error: { message, type: "invalid_request_error", param: null, code: null },
  }),
}

/** A tool is strict unless it says otherwise, and then every argument is required. */
function checkTool(tool: Json): void {
  demand(tool.type === "function", "tools: Invalid value for type")
  demandFields(tool, "type name description parameters strict defer_loading", "tools")
  if (tool.strict === false) return
  const names = Object.keys(tool.parameters?.properties ?? {})
  const missing = names.filter((name) => !tool.parameters.required?.includes(name))
  demand(
    missing.length === 0,
    `Invalid schema for function '${tool.name}': 'required' has to include every key. Missing '${missing[0]}'.`,
  )
}

function checkPart(part: Json): void {
  if (part.type === "input_text") {
    demandFields(part, "type text", "output.input_text")
    return
  }
  demand(part.type === "input_image", `input.function_call_output.output: unexpected ${part.type}`)
  demandFields(part, "type image_url detail file_id", "output.input_image")
  demandDataUrl(part.image_url)
}
