import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider"
import { parseJson } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import { modelLimits } from "../limits.ts"
import type { AssistantMessage, AssistantPart, FinishReason, Usage } from "../messages.ts"
import { tooLong } from "./bounded-fetch.ts"
import { unusedId } from "./wire-ids.ts"

/** A piece of an answer as it arrives. Calls have the ids that they keep. */
export type ModelDelta =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly tool: string }
  | { readonly kind: "call-input"; readonly id: string; readonly text: string }
  /** No answer yet: the request is sent again after this time. */
  | { readonly kind: "retry"; readonly afterMs: number; readonly reason: string }

/** What a model answered, and which of its calls did not come to their end, by our ids. */
export interface CollectedAnswer {
  readonly message: AssistantMessage
  readonly cutOff: readonly string[]
}

interface OpenText {
  readonly type: "text" | "reasoning"
  text: string
  metadata: SharedV4ProviderMetadata | undefined
}

interface OpenCall {
  readonly type: "call"
  readonly id: string
  /** As it came, so that later parts find it. */
  readonly streamId: string
  readonly providerId: string
  readonly tool: string
  input: string
  ended: boolean
  metadata: SharedV4ProviderMetadata | undefined
}

type OpenPart = OpenText | OpenCall | Extract<AssistantPart, { type: "provider" }>

/** Puts a model's answer together from the parts of its stream. At any moment it can tell what has come. */
export class AnswerCollector {
  readonly #parts: OpenPart[] = []
  readonly #texts = new Map<string, OpenText>()
  /** By the ids of the stream, the latest last. */
  readonly #openCalls = new Map<string, OpenCall[]>()
  readonly #usedIds = new Set<string>()
  readonly #tell: (delta: ModelDelta) => void
  #characters = 0
  #finish: FinishReason | null = null
  #usage: Usage = { input: 0, output: 0, cached: 0 }

  constructor(tell: (delta: ModelDelta) => void) {
    this.#tell = tell
  }

  /** Why the model ended its answer; null while it has not. */
  get finish(): FinishReason | null {
    return this.#finish
  }

  /** Whether nothing of an answer has come. The start of a text is nothing yet. */
  get isEmpty(): boolean {
    return this.#parts.every((part) => "text" in part && part.text === "")
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#startText(part.type === "text-start" ? "text" : "reasoning", part)
        break
      case "text-delta":
      case "reasoning-delta":
        this.#addText(part.type === "text-delta" ? "text" : "reasoning", part)
        break
      case "text-end":
      case "reasoning-end":
        this.#endText(part.type === "text-end" ? "text" : "reasoning", part)
        break
      case "tool-input-start":
        if (!part.providerExecuted) this.#startCall(part.id, part.toolName, part.providerMetadata)
        break
      case "tool-input-delta":
        this.#addInput(part.id, part.delta)
        break
      case "tool-call":
        this.#endCall(part)
        break
      case "tool-result":
      case "file":
      case "reasoning-file":
      case "custom":
        this.#addProviderPart(part)
        break
      case "finish":
        this.#finish = part.finishReason.unified
        this.#usage = usageOf(part.usage)
        break
      default:
        // What remains says nothing that a conversation keeps.
        break
    }
  }

  /** More than any answer needs would fill the memory, the record and every later request. */
  #count(text: string): void {
    this.#characters += text.length
    const { answerCharacters: most } = modelLimits
    if (this.#characters > most) throw tooLong(`${most} characters`)
  }

  #push(part: OpenPart): void {
    const { answerParts: most } = modelLimits
    if (this.#parts.length >= most) throw tooLong(`${most} parts`)
    this.#parts.push(part)
  }

  answer(model: string, finish: FinishReason): CollectedAnswer {
    const content = this.#parts.flatMap(closePart)
    const cutOff = this.#cutOff(finish)
    return {
      message: { role: "assistant", content, finish, model, usage: this.#usage },
      cutOff,
    }
  }

  #startText(
    type: OpenText["type"],
    { id, providerMetadata }: { id: string; providerMetadata?: SharedV4ProviderMetadata },
  ): OpenText {
    const text: OpenText = { type, text: "", metadata: providerMetadata }
    this.#push(text)
    this.#texts.set(`${type} ${id}`, text)
    return text
  }

  #addText(
    type: OpenText["type"],
    part: { id: string; delta: string; providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    const text = this.#texts.get(`${type} ${part.id}`) ?? this.#startText(type, { id: part.id })
    this.#count(part.delta)
    text.text += part.delta
    text.metadata = merge(text.metadata, part.providerMetadata)
    if (part.delta !== "") this.#tell({ kind: type, text: part.delta })
  }

  #endText(
    type: OpenText["type"],
    { id, providerMetadata }: { id: string; providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    const text = this.#texts.get(`${type} ${id}`)
    if (text) text.metadata = merge(text.metadata, providerMetadata)
    this.#texts.delete(`${type} ${id}`)
  }

  #startCall(streamId: string, tool: string, metadata?: SharedV4ProviderMetadata): OpenCall {
    const providerId = unusedId(streamId, this.#usedIds)
    this.#usedIds.add(providerId)
    const id = createId("call")
    const call: OpenCall = {
      type: "call",
      id,
      streamId,
      providerId,
      tool,
      input: "",
      ended: false,
      metadata,
    }
    this.#count(streamId + tool)
    this.#push(call)
    const sameId = this.#openCalls.get(streamId)
    if (sameId) sameId.push(call)
    else this.#openCalls.set(streamId, [call])
    this.#tell({ kind: "call", id, tool })
    return call
  }

  /** An id that a model uses twice names the call that is still open. */
  #openCall(streamId: string): OpenCall | undefined {
    return this.#openCalls.get(streamId)?.at(-1)
  }

  #addInput(streamId: string, delta: string): void {
    const call = this.#openCall(streamId)
    if (!call || delta === "") return
    this.#count(delta)
    call.input += delta
    this.#tell({ kind: "call-input", id: call.id, text: delta })
  }

  #endCall(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): void {
    if (part.providerExecuted) {
      this.#addProvider(promptCall(part))
      return
    }
    const call = this.#openCall(part.toolCallId) ?? this.#startCall(part.toolCallId, part.toolName)
    if (call.input === "" && part.input !== "") {
      this.#tell({ kind: "call-input", id: call.id, text: part.input })
    }
    // Most have sent it in pieces before, which count already.
    if (part.input.length > call.input.length) this.#count(part.input.slice(call.input.length))
    call.input = part.input
    call.ended = true
    this.#openCalls.get(part.toolCallId)?.pop()
    call.metadata = merge(call.metadata, part.providerMetadata)
  }

  #addProviderPart(
    part: Extract<
      LanguageModelV4StreamPart,
      { type: "tool-result" | "file" | "reasoning-file" | "custom" }
    >,
  ): void {
    // It repeats what the stream says elsewhere, and no request takes it.
    if (part.type === "custom" && part.kind === "anthropic.message_start") return
    const { providerMetadata, ...rest } = part
    const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata }
    if (rest.type !== "tool-result") {
      this.#addProvider({ ...rest, ...options })
      return
    }
    const { toolCallId, toolName, result, isError } = rest
    const output = { type: isError ? "error-json" : "json", value: result }
    const prompt = { type: "tool-result", toolCallId, toolName, output, ...options }
    this.#addProvider(prompt)
  }

  #addProvider(part: unknown): void {
    this.#count(JSON.stringify(part) ?? "")
    this.#push({ type: "provider", part })
  }

  /**
   * Calls whose input has no end. Some providers end the last one themselves when the answer is cut, and a call whose
   * arguments had not begun then looks like one without any.
   */
  #cutOff(finish: FinishReason): readonly string[] {
    const isCut = finish !== "stop" && finish !== "tool-calls"
    const last = this.#parts.at(-1)
    return this.#parts.flatMap((part) => {
      if (part.type !== "call") return []
      const isLastAndCut = isCut && part === last && !isWhole(part.input)
      return !part.ended || isLastAndCut ? [part.id] : []
    })
  }
}

function closePart(part: OpenPart): AssistantPart[] {
  switch (part.type) {
    case "provider":
      return [part]
    case "call": {
      const { id, providerId, tool, input, metadata } = part
      return [{ type: "call", id, providerId, tool, input, ...withMetadata(metadata) }]
    }
    default: {
      const { type, text, metadata } = part
      // Reasoning may consist of its signature alone.
      if (text === "" && metadata === undefined) return []
      return [{ type, text, ...withMetadata(metadata) }]
    }
  }
}

function promptCall(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): unknown {
  const { toolCallId, toolName, input, providerMetadata } = part
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata }
  const call = { type: "tool-call", toolCallId, toolName, input: parseJson(input) ?? {} }
  return { ...call, providerExecuted: true, ...options }
}

/** Whether arguments came to their end: JSON with something in it. */
function isWhole(input: string): boolean {
  return !/^\s*\{\s*\}\s*$/.test(input) && parseJson(input) !== undefined
}

function withMetadata(metadata: SharedV4ProviderMetadata | undefined) {
  return metadata === undefined ? {} : { metadata }
}

/** Providers give the fields of one part at its start, in between and at its end. */
function merge(
  one: SharedV4ProviderMetadata | undefined,
  other: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (one === undefined || other === undefined) return other ?? one
  const merged = { ...one }
  for (const [provider, fields] of Object.entries(other)) {
    merged[provider] = { ...merged[provider], ...fields }
  }
  return merged
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    input: inputTokens.total ?? 0,
    output: outputTokens.total ?? 0,
    cached: inputTokens.cacheRead ?? 0,
  }
}
