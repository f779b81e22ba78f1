import { limits } from "../limits.ts"
import { cutText } from "./cut-text.ts"
import { type Cuts, JsonFault, toJson } from "./to-json.ts"

export type Fitted =
  | { readonly ok: true; readonly value: unknown; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string }

/** Tried in turn until the result fits; most fit at the first. */
const shrinking: readonly Cuts[] = [
  { textBytes: limits.textBytes, items: Number.POSITIVE_INFINITY },
  { textBytes: limits.textBytes, items: 1_000 },
  { textBytes: 10_000, items: 500 },
  { textBytes: 2_000, items: 50 },
  { textBytes: 500, items: 10 },
]

/** Makes whatever a tool returned into JSON that fits the budget, and says what had to go. */
export function fitResult(value: unknown, maxBytes: number = limits.resultBytes): Fitted {
  try {
    for (const cuts of shrinking) {
      const json = toJson(value, cuts, maxBytes)
      if (json.fits) return { ok: true, value: json.value, notes: json.notes }
    }
    return startOf(value, maxBytes)
  } catch (error) {
    if (error instanceof JsonFault) return { ok: false, reason: error.message }
    // A getter or a toJSON of the value's own.
    const message = error instanceof Error ? error.message : String(error)
    return { ok: false, reason: `reading it failed with: ${cutText(message, 500).text}` }
  }
}

/** The last resort, for results with a million small parts: the start of the JSON text itself. */
function startOf(value: unknown, maxBytes: number): Fitted {
  const textBytes = Math.floor(maxBytes / 4)
  const cuts = { textBytes, items: Number.POSITIVE_INFINITY }
  const start = JSON.stringify(toJson(value, cuts, textBytes).value)
  return {
    ok: true,
    value: { text: cutText(start, textBytes).text },
    notes: ["result: too many parts, given as the start of its JSON text"],
  }
}
