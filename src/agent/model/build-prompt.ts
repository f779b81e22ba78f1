import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider"
import { parseObject } from "../../contract/index.ts"
import type { AssistantMessage, AssistantPart, CallResult, Message } from "../messages.ts"
import { providerOf, type Wire } from "./model-name.ts"
import { type PairedMessage, pairResults } from "./pair-results.ts"
import { isBlank, isFile, promptContent } from "./prompt-content.ts"
import { WireIds } from "./wire-ids.ts"

export interface PromptOptions {
  readonly system: string
  readonly messages: readonly Message[]
  readonly wire: Wire
  /** The model's name. What only another provider understands is left out. */
  readonly model: string
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]
type ToolResultOutput = LanguageModelV4ToolResultPart["output"]

/**
 * The beginning of a prompt, up to the model's last answer: nothing before that changes any more. Each request has all
 * of the one before, so only what is new is built (bench: session-loop).
 */
interface Prefix {
  readonly wire: Wire
  readonly model: string
  messages: readonly Message[]
  readonly prompt: LanguageModelV4Prompt
  readonly ids: WireIds
}

/** By the first message of a conversation. */
const prefixes = new WeakMap<Message, Prefix>()

function prefixOf({ messages, wire, model }: PromptOptions): Prefix {
  const [first] = messages
  const known = first && prefixes.get(first)
  const isSame =
    known?.wire === wire &&
    known.model === model &&
    known.messages.every((message, index) => message === messages[index])
  if (known && isSame) return known
  const made: Prefix = { wire, model, messages: [], prompt: [], ids: new WireIds() }
  if (first) prefixes.set(first, made)
  return made
}

/** The prompt of a request. It depends on nothing else, so a longer conversation starts with the same bytes. */
export function buildPrompt(options: PromptOptions): LanguageModelV4Prompt {
  const { system, messages, wire } = options
  const prefix = prefixOf(options)
  const before = prefix.messages.length
  const last = Math.max(
    before,
    messages.findLastIndex(({ role }) => role === "assistant"),
  )
  prefix.prompt.push(...promptMessages(messages.slice(before, last), prefix))
  prefix.messages = messages.slice(0, last)
  const prompt: LanguageModelV4Prompt = [
    ...(isBlank(system) ? [] : [{ role: "system" as const, content: system }]),
    ...prefix.prompt,
    ...promptMessages(messages.slice(last), { ...prefix, ids: new WireIds(prefix.ids) }),
  ]
  // Most models refuse a request that ends with an answer of their own.
  if (prompt.at(-1)?.role === "assistant") prompt.push(userText("Continue."))
  return wire === "anthropic" ? withBreakpoints(prompt) : prompt
}

type PromptState = Pick<Prefix, "wire" | "model" | "ids">

function promptMessages(messages: readonly Message[], state: PromptState): LanguageModelV4Prompt {
  return pairResults(messages).flatMap((message) => promptMessage(message, state))
}

function promptMessage(
  message: PairedMessage,
  { wire, model, ids }: PromptState,
): LanguageModelV4Message[] {
  switch (message.role) {
    case "user": {
      const content = promptContent(message.content)
      return content.length > 0 ? [{ role: "user", content }] : []
    }
    case "assistant": {
      const content = assistantContent(message.message, model, ids)
      return content.length > 0 ? [{ role: "assistant", content }] : []
    }
    case "tool":
      return toolMessages(message.results, wire, ids)
  }
}

function assistantContent(
  message: AssistantMessage,
  model: string,
  ids: WireIds,
): AssistantContent {
  const isOwn = providerOf(message.model) === providerOf(model)
  const content = message.content.flatMap((part) => assistantPart(part, isOwn, ids))
  // Reasoning that nothing follows is refused.
  return content.some(({ type }) => type !== "reasoning") ? content : []
}

function assistantPart(part: AssistantPart, isOwn: boolean, ids: WireIds): AssistantContent {
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : [{ type: "text", text: part.text, ...optionsOf(part) }]
    case "reasoning":
      return isOwn ? [{ type: "reasoning", text: part.text, ...optionsOf(part) }] : []
    case "call":
      return [
        {
          type: "tool-call",
          toolCallId: ids.add(part, isOwn),
          toolName: part.tool,
          input: callInput(part.input),
          ...optionsOf(part),
        },
      ]
    case "provider":
      return isOwn ? [part.part as AssistantContent[number]] : []
  }
}

function optionsOf({ metadata }: Exclude<AssistantPart, { type: "provider" }>) {
  return metadata === undefined ? {} : { providerOptions: metadata }
}

/** The text as it came where it is an object, because every wire needs one. Broken text goes back inside of one. */
function callInput(input: string): unknown {
  if (isBlank(input)) return {}
  const value = parseObject(input)
  if (!value) return { invalid_json: input }
  // Providers take a text with such names for broken, and an object for what it is.
  return /__proto__|constructor|\\u/.test(input) ? value : input
}

function toolMessages(
  results: readonly CallResult[],
  wire: Wire,
  ids: WireIds,
): LanguageModelV4Message[] {
  const images: (LanguageModelV4TextPart | LanguageModelV4FilePart)[] = []
  const content = results.map((result): LanguageModelV4ToolResultPart => {
    const parts = promptContent(result.content)
    const files = parts.filter(isFile)
    if (wire === "chat" && files.length > 0) {
      images.push({ type: "text", text: `From the result of ${result.call.tool}:` }, ...files)
    }
    return {
      type: "tool-result",
      toolCallId: ids.of(result.call),
      toolName: result.call.tool,
      output: toolOutput(parts, result.isError, wire),
    }
  })
  const tool: LanguageModelV4Message = { role: "tool", content }
  return images.length > 0 ? [tool, { role: "user", content: images }] : [tool]
}

/** In the form in which its provider changes nothing: some quote a text again, and some quote an image as text. */
function toolOutput(
  parts: readonly (LanguageModelV4TextPart | LanguageModelV4FilePart)[],
  isError: boolean,
  wire: Wire,
): ToolResultOutput {
  const hasImage = parts.some(isFile)
  if (hasImage && wire !== "chat") return { type: "content", value: [...parts] }
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
  const empty = hasImage ? "The image is in the next message." : "(empty)"
  const value = texts.length > 0 ? texts.join("\n\n") : empty
  return { type: isError && wire === "anthropic" ? "error-text" : "text", value }
}

function userText(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] }
}

/**
 * Anthropic caches up to marked places, and looks for an older one only a few blocks back. So the end is marked, and the
 * end of the request before, which many calls at once may have moved out of reach.
 */
function withBreakpoints(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const system = prompt[0]?.role === "system" ? 0 : -1
  const lastAnswer = prompt.findLastIndex(({ role }) => role === "assistant")
  const marked = [system, lastAnswer - 1, prompt.length - 1]
  const cacheControl = { type: "ephemeral" }
  return prompt.map((message, index) =>
    marked.includes(index)
      ? { ...message, providerOptions: { anthropic: { cacheControl } } }
      : message,
  )
}
