import { chartLimits } from "../limits.ts"
import type { Cell } from "./parse-rows.ts"

/** Also of text that is a number, as all numbers of a CSV file are. */
export function numberFrom(cell: Cell): number | null {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : null
  if (typeof cell !== "string" || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(cell))
    return null
  const number = Number(cell)
  return Number.isFinite(number) ? number : null
}

/** Only what is plainly a date; "10" and "May" are labels. */
export function timeFrom(cell: Cell): number | null {
  if (typeof cell !== "string" || cell.length > 40) return null
  if (
    !/^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/.test(cell)
  ) {
    return null
  }
  const iso = cell.replace(" ", "T")
  const time = Date.parse(iso.length > 10 && !/(Z|[+-]\d{2}:?\d{2})$/.test(iso) ? `${iso}Z` : iso)
  return Number.isNaN(time) ? null : time
}

const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Text as XML can hold it. */
export function labelFrom(cell: Cell): string {
  return shorten(String(cell)).toWellFormed().replaceAll(unwritable, "\ufffd")
}

export function shorten(text: string): string {
  const most = chartLimits.labelCharacters
  return text.length > most ? `${text.slice(0, most)}…` : text
}
