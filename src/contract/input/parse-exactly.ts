import { trimEndOf } from "../../kit/index.ts"
import type { ArgumentPath } from "../schema/argument-path.ts"

/** A number in JSON text that would become another one. */
export interface InexactNumber {
  readonly path: ArgumentPath
  /** As it is written. */
  readonly source: string
}

interface Parsed {
  readonly value: unknown
  readonly inexact: InexactNumber | null
}

/** Most texts have no number that could be too large, and are parsed at once. */
const mayBeInexact = /\d{16}|\d[eE]\+?\d|-0(?!\d|\.\d*[1-9])/

/** Parses JSON text, and says which number in it, if any, can't be held as it is written. -0 is read as 0. Throws for other text. */
export function parseExactly(text: string): Parsed {
  if (!mayBeInexact.test(text)) return { value: JSON.parse(text), inexact: null }
  let found: { readonly holder: object; readonly key: string; readonly source: string } | undefined
  const value: unknown = JSON.parse(text, function (this: object, key, part, context?: Source) {
    if (typeof part !== "number") return part
    // Some engines don't tell how it was written: then no number beyond these can be trusted.
    const source = context?.source ?? `${part}`
    const isExact = context?.source === undefined ? isSafe(part) : readExactly(source) !== undefined
    if (!isExact) found ??= { holder: this, key, source }
    return part === 0 ? 0 : part
  } as Reviver)
  if (!found) return { value, inexact: null }
  const { holder, key, source } = found
  const place = pathTo(holder, value) ?? []
  return { value, inexact: { path: [...place, Array.isArray(holder) ? Number(key) : key], source } }
}

interface Source {
  readonly source?: string
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown

/** The number that a JSON number says; undefined for one that would be infinite, or rounded to another whole number. */
export function readExactly(source: string): number | undefined {
  const read = Number(source)
  if (!Number.isFinite(read)) return undefined
  if (!isSafe(read) && digitsOf(source) !== digitsOf(`${read}`)) return undefined
  return read === 0 ? 0 : read
}

function isSafe(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

/** A decimal number in one form for all its spellings: its digits without outer zeros, and where its point is. */
function digitsOf(number: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const leading = `${whole}${fraction}`.replace(/^0+/, "")
  const point = leading.length - fraction.length + Number(exponent)
  return `${trimEndOf(leading, "0")} ${point}`
}

function pathTo(wanted: object, value: unknown): ArgumentPath | null {
  if (value === wanted) return []
  if (typeof value !== "object" || value === null) return null
  for (const [key, part] of Object.entries(value)) {
    const rest = pathTo(wanted, part)
    if (rest) return [Array.isArray(value) ? Number(key) : key, ...rest]
  }
  return null
}
