import { isObject } from "../schema/json.ts"
import type { Envelope } from "./envelope.ts"

/** A directory as a result: each entry's path is ready to be the next call's argument. */
interface Listing {
  readonly kind: "listing"
  readonly path: string
  readonly entries: readonly ListingEntry[]
  readonly entry_count: number
  readonly truncated: boolean
}

interface ListingEntry {
  readonly name: string
  readonly path: string
  readonly type: string
}

/** Sugar for a tool whose answer is one readable text; people see it as markdown. */
export function textResult(text: string): { readonly text: string } {
  return { text }
}

export function listingResult(
  path: string,
  entries: readonly ListingEntry[],
  whole: { readonly entryCount: number; readonly truncated: boolean },
): Listing {
  return {
    kind: "listing",
    path,
    entries,
    entry_count: whole.entryCount,
    truncated: whole.truncated,
  }
}

/** What a loop steers on after a call. */
export type ResultClass =
  | "listing-empty"
  | "listing-partial"
  | "listing-populated"
  | "file"
  | "not-found"
  | "failure"
  | "other"

export function classifyResult(envelope: Envelope): ResultClass {
  if (!envelope.ok) return envelope.kind === "not_found" ? "not-found" : "failure"
  const { result } = envelope
  if (!isObject(result)) return "other"
  if (result.kind === "file") return "file"
  if (result.kind !== "listing") return "other"
  if (result.truncated === true) return "listing-partial"
  return result.entry_count === 0 ? "listing-empty" : "listing-populated"
}

/** An old listing in a long conversation shrinks to one line; anything else stays as it is. */
export function collapseListing(envelope: Envelope): Envelope {
  if (!envelope.ok || !isObject(envelope.result) || envelope.result.kind !== "listing") {
    return envelope
  }
  const { entry_count: count, path } = envelope.result
  return { ...envelope, result: textResult(`${count} entries in ${path}`) }
}
