import { cutText } from "./cut-text.ts"
import { limits } from "./limits.ts"
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
    return cutWhole(value, maxBytes)
  } catch (error) {
    if (error instanceof JsonFault) return { ok: false, reason: error.message }
    throw error
  }
}

/** The last resort, for results with a million small parts: the JSON text itself, cut. */
function cutWhole(value: unknown, maxBytes: number): Fitted {
  const { text, omittedBytes } = cutText(JSON.stringify(value), Math.floor(maxBytes / 2))
  return {
    ok: true,
    value: { text },
    notes: [`result: given as cut JSON text, ${omittedBytes} bytes left out`],
  }
}
