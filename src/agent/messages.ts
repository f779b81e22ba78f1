import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from "@ai-sdk/provider"

/** What a conversation consists of, as it is recorded and as the next request is built from it. */
export type Message = UserMessage | AssistantMessage | ToolMessage

/** What a person or a program says. */
export interface UserMessage {
  readonly role: "user"
  readonly content: readonly (TextPart | ImagePart)[]
}

/** What a model answered. Metadata goes back to its provider as it came. */
export interface AssistantMessage {
  readonly role: "assistant"
  readonly content: readonly AssistantPart[]
  readonly finish: FinishReason
  /** Such as "anthropic/claude-sonnet-4-5". */
  readonly model: string
  readonly usage: Usage
}

/** The answers to all calls of the assistant's message before it, in the order of the calls. */
export interface ToolMessage {
  readonly role: "tool"
  readonly results: readonly CallResult[]
}

export interface TextPart {
  readonly type: "text"
  readonly text: string
}

export interface ImagePart {
  readonly type: "image"
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

export type AssistantPart =
  | (TextPart & WithMetadata)
  | ({ readonly type: "reasoning"; readonly text: string } & WithMetadata)
  | ({ readonly type: "call" } & ModelCall & WithMetadata)
  /** What only the provider understands, sent back as it is: a `LanguageModelV4` prompt part. */
  | { readonly type: "provider"; readonly part: unknown }

interface WithMetadata {
  readonly metadata?: SharedV4ProviderMetadata
}

/** A call as a model asks for it. */
export interface ModelCall {
  /** Unique in the session, also where the provider uses an id twice. */
  readonly id: string
  /** The id that the provider gave it, and that its answer has to carry. Unique in one message. */
  readonly providerId: string
  readonly tool: string
  /** The raw text of its arguments, which may be broken. */
  readonly input: string
}

export interface CallResult {
  readonly call: ModelCall
  readonly content: readonly (TextPart | ImagePart)[]
  readonly isError: boolean
  /** What is shown in its place once it is old and room is short. */
  readonly short?: string
}

/** Why an answer ended; "aborted" where the caller ended it. */
export type FinishReason = LanguageModelV4FinishReason["unified"] | "aborted"

export interface Usage {
  readonly input: number
  readonly output: number
  /** Of the input, what came from the provider's cache. */
  readonly cached: number
}
