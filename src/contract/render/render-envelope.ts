import type { Envelope, Failure, Success } from "../envelope/envelope.ts"
import { isObject } from "../schema/json.ts"
import { renderForOpenRath, withWarnings } from "./render-openrath.ts"
import { type ShowingTool, showResult } from "./show-result.ts"

/** An envelope in the result forms of providers and of the other tool vocabularies. */
export interface RenderedEnvelopes {
  readonly anthropic: { readonly content: string; readonly is_error: boolean }
  readonly openai: { readonly content: string }
  readonly mcp: {
    readonly content: readonly { readonly type: "text"; readonly text: string }[]
    readonly structuredContent: Envelope
    readonly isError: boolean
  }
  readonly flynn: { readonly success: boolean; readonly output: string; readonly error?: string }
  readonly cloudflare: { readonly content: string; readonly isError?: true }
  readonly openrath: string
}

export type EnvelopeFormat = keyof RenderedEnvelopes

/** Neither the error nor a warning is lost in any of them. The tool says how its result reads as a text. */
export function renderEnvelope<Format extends EnvelopeFormat>(
  format: Format,
  envelope: Envelope,
  tool?: ShowingTool,
): RenderedEnvelopes[Format] {
  return renderers[format](envelope, tool)
}

const renderers: {
  readonly [Format in EnvelopeFormat]: (
    envelope: Envelope,
    tool: ShowingTool | undefined,
  ) => RenderedEnvelopes[Format]
} = {
  anthropic: (envelope) => ({ content: JSON.stringify(envelope), is_error: !envelope.ok }),
  openai: (envelope) => ({ content: JSON.stringify(envelope) }),
  mcp: (envelope, tool) => ({
    content: [{ type: "text", text: envelope.ok ? readable(envelope, tool) : sentence(envelope) }],
    structuredContent: envelope,
    isError: !envelope.ok,
  }),
  flynn: (envelope, tool) =>
    envelope.ok
      ? { success: true, output: readable(envelope, tool) }
      : { success: false, output: "", error: sentence(envelope) },
  cloudflare: renderForCloudflare,
  openrath: renderForOpenRath,
}

/** In this vocabulary a command that exits non-zero is an error, with its output still there. */
function renderForCloudflare(envelope: Envelope): RenderedEnvelopes["cloudflare"] {
  if (!envelope.ok) return { content: sentence(envelope), isError: true }
  const { result, warnings } = envelope
  const content = JSON.stringify(withWarnings(result, warnings))
  const failed = isObject(result) && typeof result.exit_code === "number" && result.exit_code !== 0
  return failed ? { content, isError: true } : { content }
}

function readable(envelope: Success, tool: ShowingTool | undefined): string {
  const { result, warnings = [] } = envelope
  return [showResult(tool, result), ...warnings.map((warning) => `[warning] ${warning}`)].join("\n")
}

function sentence({ kind, message, expected }: Failure): string {
  const isSaid = expected === undefined || message.includes(expected)
  return isSaid ? `${kind}: ${message}` : `${kind}: ${message} Expected: ${expected}.`
}
