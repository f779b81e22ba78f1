import type { Envelope, RenderedEnvelopes } from "../contract/index.ts"

/** A tool call as a provider's API gives it, and the answer to it as that API takes it back. */
export interface ProviderCalls {
  readonly anthropic: {
    /** A `tool_use` block. */
    readonly call: { readonly id: string; readonly name: string; readonly input: unknown }
    readonly answer: {
      readonly type: "tool_result"
      readonly tool_use_id: string
      readonly content: string
      readonly is_error: boolean
    }
  }
  readonly openai: {
    /** One of `message.tool_calls`. */
    readonly call: {
      readonly id: string
      readonly function: { readonly name: string; readonly arguments: string }
    }
    readonly answer: {
      readonly role: "tool"
      readonly tool_call_id: string
      readonly content: string
    }
  }
  readonly mcp: {
    /** The parameters of `tools/call`. */
    readonly call: { readonly name: string; readonly arguments?: unknown }
    readonly answer: RenderedEnvelopes["mcp"]
  }
}

export type ProviderFormat = keyof ProviderCalls

type Render = <Format extends ProviderFormat>(
  format: Format,
  envelope: Envelope,
) => RenderedEnvelopes[Format]

interface Provider<Format extends ProviderFormat> {
  /** The tool's name and its input, as the model sent them. */
  read(call: ProviderCalls[Format]["call"]): { readonly name: string; readonly input: unknown }
  answer(
    call: ProviderCalls[Format]["call"],
    envelope: Envelope,
    render: Render,
  ): ProviderCalls[Format]["answer"]
}

export const providers: { readonly [Format in ProviderFormat]: Provider<Format> } = {
  anthropic: {
    read: ({ name, input }) => ({ name, input }),
    answer: ({ id }, envelope, render) => ({
      type: "tool_result",
      tool_use_id: id,
      ...render("anthropic", envelope),
    }),
  },
  openai: {
    read: ({ function: { name, arguments: input } }) => ({ name, input }),
    answer: ({ id }, envelope, render) => ({
      role: "tool",
      tool_call_id: id,
      ...render("openai", envelope),
    }),
  },
  mcp: {
    read: ({ name, arguments: input = {} }) => ({ name, input }),
    answer: (_call, envelope, render) => render("mcp", envelope),
  },
}
