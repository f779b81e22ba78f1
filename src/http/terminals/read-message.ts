import { isObject } from "../../contract/index.ts"
import { httpLimits } from "../limits.ts"

/** What a client says about a terminal, beside what is typed. */
export type ControlMessage =
  | { readonly kind: "resize"; readonly columns: number; readonly rows: number }
  | { readonly kind: "acknowledge"; readonly bytes: number }

/** Null for anything else than `{ "ticket": text }`. */
export function readTicket(text: string): string | null {
  const message = readOne(text)
  return message?.name === "ticket" && typeof message.value === "string" ? message.value : null
}

/** Null for what is not a message. */
export function readControl(text: string): ControlMessage | null {
  const message = readOne(text)
  if (message?.name === "acknowledge" && isCount(message.value)) {
    return { kind: "acknowledge", bytes: message.value }
  }
  if (message?.name !== "resize" || !isObject(message.value)) return null
  const { columns, rows, ...rest } = message.value
  const isSize = isCount(columns) && isCount(rows) && Object.keys(rest).length === 0
  return isSize ? { kind: "resize", columns, rows } : null
}

/** The one field of a message. */
function readOne(text: string): { readonly name: string; readonly value: unknown } | null {
  if (text.length > httpLimits.terminalMessageCharacters) return null
  try {
    const message: unknown = JSON.parse(text)
    const [field, ...others] = isObject(message) ? Object.entries(message) : []
    return field && others.length === 0 ? { name: field[0], value: field[1] } : null
  } catch {
    return null
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
