import type { Envelope, Failure, Success } from "../envelope/envelope.ts"
import { isObject } from "../schema/json.ts"
import { renderForOpenRath, withWarnings } from "./render-openrath.ts"
import { showResult } from "./show-result.ts"

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

/** How a success reads as a text; `session.show` asks its tool. */
type Show = (envelope: Success) => string

/** Neither the error nor a warning is lost in any of them. */
export function renderEnvelope<Format extends EnvelopeFormat>(
  format: Format,
  envelope: Envelope,
  show: Show = ({ result }) => showResult(undefined, result),
): RenderedEnvelopes[Format] {
  return renderers[format](envelope, show)
}

const renderers: {
  readonly [Format in EnvelopeFormat]: (envelope: Envelope, show: Show) => RenderedEnvelopes[Format]
} = {
  anthropic: (envelope) => ({ content: JSON.stringify(envelope), is_error: !envelope.ok }),
  openai: (envelope) => ({ content: JSON.stringify(envelope) }),
  mcp: (envelope, show) => ({
    content: [{ type: "text", text: envelope.ok ? readable(envelope, show) : sentence(envelope) }],
    structuredContent: envelope,
    isError: !envelope.ok,
  }),
  flynn: (envelope, show) =>
    envelope.ok
      ? { success: true, output: readable(envelope, show) }
      : { success: false, output: "", error: sentence(envelope) },
  cloudflare: renderForCloudflare,
  openrath: renderForOpenRath,
}

/** As after `yes | head`: a pipe that was read no further, which is what the command asked for. */
const brokenPipe = 141

/** In this vocabulary a command that exits non-zero is an error, with its output still there. */
function renderForCloudflare(envelope: Envelope): RenderedEnvelopes["cloudflare"] {
  if (!envelope.ok) return { content: sentence(envelope), isError: true }
  const { result, warnings } = envelope
  const content = JSON.stringify(withWarnings(result, warnings))
  const code = isObject(result) && typeof result.exit_code === "number" ? result.exit_code : 0
  const failed = code !== 0 && code !== brokenPipe
  return failed ? { content, isError: true } : { content }
}

function readable(envelope: Success, show: Show): string {
  const { warnings = [] } = envelope
  return [show(envelope), ...warnings.map((warning) => `[warning] ${warning}`)].join("\n")
}

function sentence({ kind, message, expected }: Failure): string {
  const isSaid = expected === undefined || message.includes(expected)
  return isSaid ? `${kind}: ${message}` : `${kind}: ${message} Expected: ${expected}.`
}
