import type { Envelope, Failure, Success } from "../envelope/envelope.ts"
import { failureText } from "./failure-text.ts"
import { type CloudflareResult, renderForCloudflare } from "./render-cloudflare.ts"
import { type FlynnResult, renderForFlynn } from "./render-flynn.ts"
import {
  type ProviderResults,
  providerRenderers,
  type ResultImage,
} from "./render-for-providers.ts"
import { renderForOpenRath } from "./render-openrath.ts"
import { showResult } from "./show-result.ts"

/** An envelope in the result forms of providers and of the other tool vocabularies. */
export interface RenderedEnvelopes extends ProviderResults {
  readonly mcp: {
    content: ({ type: "text"; text: string } | ({ type: "image" } & Mutable<ResultImage>))[]
    structuredContent: Envelope & { [field: string]: unknown }
    isError: boolean
  }
  readonly flynn: FlynnResult
  readonly cloudflare: CloudflareResult
  readonly openrath: string
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }

export type EnvelopeFormat = keyof RenderedEnvelopes

/** What rendering needs beside the envelope. */
interface Rendering {
  /** How a success reads as a text; `session.show` asks its tool. */
  readonly show?: (envelope: Success) => string
  /** The images that the result names, for the forms that have room for them. */
  readonly images?: readonly ResultImage[]
}

/** Neither the error nor a warning is lost in any of them. */
export function renderEnvelope<Format extends EnvelopeFormat>(
  format: Format,
  envelope: Envelope,
  { show = ({ result }) => showResult(undefined, result), images = [] }: Rendering = {},
): RenderedEnvelopes[Format] {
  return renderers[format](envelope, images, show)
}

type Show = NonNullable<Rendering["show"]>

const renderers: {
  readonly [Format in EnvelopeFormat]: (
    envelope: Envelope,
    images: readonly ResultImage[],
    show: Show,
  ) => RenderedEnvelopes[Format]
} = {
  ...providerRenderers,
  mcp: (envelope, images, show) => ({
    content: [
      { type: "text", text: envelope.ok ? readable(envelope, show) : sentence(envelope) },
      ...images.map((image) => ({ type: "image" as const, ...image })),
    ],
    structuredContent: { ...envelope },
    isError: !envelope.ok,
  }),
  flynn: (envelope, _images, show) => renderForFlynn(envelope, show),
  cloudflare: renderForCloudflare,
  openrath: renderForOpenRath,
}

function readable(envelope: Success, show: Show): string {
  const { warnings = [] } = envelope
  return [show(envelope), ...warnings.map((warning) => `[warning] ${warning}`)].join("\n")
}

function sentence(failed: Failure): string {
  return `${failed.kind}: ${failureText(failed)}`
}
