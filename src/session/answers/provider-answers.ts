import {
  dataUrl,
  type Envelope,
  type RenderedEnvelopes,
  type ResultImage,
  renderEnvelope,
  type Success,
} from "../../contract/index.ts"

/** A tool call as a provider's API gives it, and the answer to it as that API takes it back. */
export interface ProviderCalls {
  readonly anthropic: {
    /** A `tool_use` block. */
    readonly call: { readonly id: string; readonly name: string; readonly input: unknown }
    readonly answer: { type: "tool_result"; tool_use_id: string } & RenderedEnvelopes["anthropic"]
  }
  /** Of chat completions. */
  readonly openai: {
    /** One of `message.tool_calls`. */
    readonly call: {
      readonly id: string
      readonly function: { readonly name: string; readonly arguments: string }
    }
    readonly answer: { role: "tool"; tool_call_id: string } & RenderedEnvelopes["openai"]
    readonly after: UserImages
  }
  readonly "openai-responses": {
    /** A `function_call` item. */
    readonly call: { readonly call_id: string; readonly name: string; readonly arguments: string }
    readonly answer: {
      type: "function_call_output"
      call_id: string
    } & RenderedEnvelopes["openai-responses"]
  }
  readonly gemini: {
    /** One of `response.functionCalls`. */
    readonly call: {
      readonly id?: string | undefined
      readonly name?: string | undefined
      readonly args?: unknown
    }
    /** A part of the user's next content. */
    readonly answer: {
      functionResponse: { id?: string; name: string } & RenderedEnvelopes["gemini"]
    }
  }
  readonly "ai-sdk": {
    readonly call: {
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
    /** A part of a tool message. */
    readonly answer: {
      type: "tool-result"
      toolCallId: string
      toolName: string
      output: RenderedEnvelopes["ai-sdk"]
    }
  }
  readonly mcp: {
    /** The parameters of `tools/call`. */
    readonly call: { readonly name: string; readonly arguments?: unknown }
    readonly answer: RenderedEnvelopes["mcp"]
  }
}

/** A message of the user with the images of the tool messages before it. */
interface UserImages {
  role: "user"
  content: (
    | { type: "text"; text: string }
    | { type: "image_url"; image_url: { url: string; detail: "auto" } }
  )[]
}

export type ProviderFormat = keyof ProviderCalls

/** What follows the calls of one turn: an answer for each, and what the API wants after them. */
export type TurnAnswer<Format extends ProviderFormat> =
  | ProviderCalls[Format]["answer"]
  | (ProviderCalls[Format] extends { readonly after: infer After } ? After : never)

/** A call that has ended. */
export interface EndedCall<Format extends ProviderFormat> {
  readonly call: ProviderCalls[Format]["call"]
  readonly envelope: Envelope
  readonly images: readonly ResultImage[]
}

interface Provider<Format extends ProviderFormat> {
  /** The tool's name and its input, as the model sent them. */
  read(call: ProviderCalls[Format]["call"]): { readonly name: string; readonly input: unknown }
  answer(
    call: ProviderCalls[Format]["call"],
    render: <Form extends ProviderFormat>(form: Form) => RenderedEnvelopes[Form],
  ): ProviderCalls[Format]["answer"]
}

const providers: { readonly [Format in ProviderFormat]: Provider<Format> } = {
  anthropic: {
    read: ({ name, input }) => ({ name, input }),
    answer: ({ id }, render) => ({
      type: "tool_result",
      tool_use_id: id,
      ...render("anthropic"),
    }),
  },
  openai: {
    read: ({ function: { name, arguments: input } }) => ({ name, input }),
    answer: ({ id }, render) => ({ role: "tool", tool_call_id: id, ...render("openai") }),
  },
  "openai-responses": {
    read: ({ name, arguments: input }) => ({ name, input }),
    answer: ({ call_id }, render) => ({
      type: "function_call_output",
      call_id,
      ...render("openai-responses"),
    }),
  },
  gemini: {
    read: ({ name = "", args = {} }) => ({ name, input: args }),
    answer: ({ id, name = "" }, render) => ({
      functionResponse: { ...(id !== undefined && { id }), name, ...render("gemini") },
    }),
  },
  "ai-sdk": {
    read: ({ toolName, input }) => ({ name: toolName, input }),
    answer: ({ toolCallId, toolName }, render) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: render("ai-sdk"),
    }),
  },
  mcp: {
    read: ({ name, arguments: input = {} }) => ({ name, input }),
    answer: (_call, render) => render("mcp"),
  },
}

/** The tool's name and its input, as the model sent them. */
export function readCall<Format extends ProviderFormat>(
  format: Format,
  call: ProviderCalls[Format]["call"],
): { readonly name: string; readonly input: unknown } {
  return providers[format].read(call)
}

export function answerCall<Format extends ProviderFormat>(
  format: Format,
  { call, envelope, images }: EndedCall<Format>,
  show: (envelope: Success) => string,
): ProviderCalls[Format]["answer"] {
  return providers[format].answer(call, (form) => renderEnvelope(form, envelope, { show, images }))
}

/** The images that a tool message of chat completions has no room for, as the message to send after all of those. */
export function imagesAfter(ended: readonly EndedCall<"openai">[]): UserImages[] {
  const withImages = ended.filter(({ images }) => images.length > 0)
  if (withImages.length === 0) return []
  const content = withImages.flatMap(({ call, images }): UserImages["content"] => [
    { type: "text", text: `Images from ${call.function.name} (${call.id}):` },
    ...images.map((image) => ({
      type: "image_url" as const,
      image_url: { url: dataUrl(image), detail: "auto" as const },
    })),
  ])
  return [{ role: "user", content }]
}
