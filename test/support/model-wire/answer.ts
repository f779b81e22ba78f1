import type { Json } from "../model-api/api.ts"

/** What the scripted model does with one request. */
export type WireAnswer =
  | {
      readonly parts: readonly WirePart[]
      /** "calls" where the last part is one, or else "stop". */
      readonly finish?: WireFinish
      readonly ending?: WireEnding
      /** What its end waits for. */
      readonly until?: Promise<unknown>
    }
  /** An HTTP error in the form of the provider. */
  | WireRefusal
  /** Takes the request and says nothing, not even a status. */
  | { readonly silence: true }

/** An open part is not ended, as when the answer breaks inside of it. */
export type WirePart = { readonly open?: true } & (
  | { readonly text: string }
  | { readonly reasoning: string; readonly signature: string }
  | { readonly call: string; readonly arguments: string; readonly id?: string }
)

export type WireFinish = "stop" | "calls" | "length" | "filter"

/** How the stream ends after its parts. */
export type WireEnding =
  /** As the provider ends an answer. */
  | "end"
  /** The response ends, and nothing says that the answer did. */
  | "stop"
  /** The connection breaks. */
  | "break"
  /** Nothing more comes. */
  | "hang"
  /** A line that is not JSON. */
  | "garbage"
  | { readonly error: WireError }

export interface WireRefusal {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface WireError {
  readonly code: string
  readonly message: string
}

/** One provider's streaming API. */
export interface Wire {
  readonly path: RegExp
  /** Throws a BadRequest for what the real API refuses. */
  check(body: Json, headers: Readonly<Record<string, unknown>>, issued: Issued): void
  /** The events of the parts, without those that end the answer. */
  events(parts: readonly WirePart[], number: number): readonly Json[]
  endEvents(finish: WireFinish): readonly Json[]
  errorEvent(error: WireError): Json
  refusal(refusal: WireRefusal): object
}

/** What the model signed in earlier answers: the signature, and what it signs. */
export type Issued = ReadonlyMap<string, string>

export function finishOf(parts: readonly WirePart[]): WireFinish {
  const last = parts.at(-1)
  return last !== undefined && "call" in last ? "calls" : "stop"
}

export function callId(part: { readonly id?: string }, number: number, index: number): string {
  return part.id ?? `call_${number}_${index}`
}

/** In two pieces, because everything comes in pieces. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "")
}
