import type { LanguageModelV4 } from "@ai-sdk/provider"
import type {
  AssistantMessage,
  CallResult,
  Message,
  ModelCall,
  ToolMessage,
  UserMessage,
} from "../../../src/agent/messages.ts"
import { askModel, type ModelAnswer, type ModelRequest } from "../../../src/agent/model/index.ts"

const inputSchema = { type: "object", properties: {}, additionalProperties: true }

/** What tests offer to a model. */
export const tools = ["file_read", "file_write", "browser_screenshot"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema,
}))

export function ask(
  model: LanguageModelV4,
  messages: readonly Message[],
  options: Partial<ModelRequest> = {},
): Promise<ModelAnswer> {
  const { signal } = new AbortController()
  return askModel(model, { system: "You are a test.", messages, tools, signal, ...options })
}

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] }
}

export function callsOf(message: AssistantMessage): readonly ModelCall[] {
  return message.content.filter((part) => part.type === "call")
}

/** An answer to each call of a message. */
export function resultsOf(message: AssistantMessage, content?: CallResult["content"]): ToolMessage {
  const results = callsOf(message).map((call) => ({
    call,
    content: content ?? [{ type: "text" as const, text: `Result of ${call.providerId}` }],
    isError: false,
  }))
  return { role: "tool", results }
}
