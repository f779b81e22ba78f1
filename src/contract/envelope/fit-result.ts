import { errorText } from "../../kit/index.ts"
import { type CallLimits, limits } from "../limits.ts"
import { fieldName } from "../schema/argument-path.ts"
import { cutText, trimEndToCharacter } from "./cut-text.ts"

export type Fitted =
  | {
      readonly ok: true
      readonly value: unknown
      readonly notes: readonly string[]
      /** What is missing of its texts; null where whole parts are missing, which nobody counts in bytes. */
      readonly cutBytes: number | null
    }
  | { readonly ok: false; readonly reason: string }

/** Tried in turn until the result fits; most fit at the first. */
const shrinking = (textBytes: number): readonly Cuts[] => [
  { textBytes, items: Number.POSITIVE_INFINITY },
  { textBytes, items: 1_000 },
  { textBytes: Math.min(textBytes, 10_000), items: 500 },
  { textBytes: 2_000, items: 50 },
  { textBytes: 500, items: 10 },
]

/** Makes whatever a tool returned into JSON that fits the budget, and says what had to go. */
export function fitResult(
  value: unknown,
  { textBytes, resultBytes: maxBytes }: Pick<CallLimits, "textBytes" | "resultBytes"> = limits,
): Fitted {
  try {
    for (const cuts of shrinking(textBytes)) {
      const { fits, ...json } = toJson(value, cuts, maxBytes)
      if (fits) return { ok: true, ...json }
    }
    return startOf(value, maxBytes)
  } catch (error) {
    if (error instanceof JsonFault) return { ok: false, reason: error.message }
    // A getter or a toJSON of the value's own.
    const message = errorText(error)
    return { ok: false, reason: `reading it failed with: ${cutText(message, 500).text}` }
  }
}

/** The last resort, for results with a million small parts: the start of the JSON text itself. Nobody counts the rest. */
function startOf(value: unknown, maxBytes: number): Fitted {
  const textBytes = Math.floor(maxBytes / 4)
  const cuts = { textBytes, items: Number.POSITIVE_INFINITY }
  const start = JSON.stringify(toJson(value, cuts, textBytes).value)
  return {
    ok: true,
    value: { text: firstBytes(start, textBytes) },
    cutBytes: null,
    notes: ["result: too many parts, given as the start of its JSON text"],
  }
}

function firstBytes(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text)
  const head = trimEndToCharacter(bytes.subarray(0, maxBytes))
  return `${decoder.decode(head)}\n[... the rest is left out ...]`
}

/** A value that JSON can't hold. The message says what it is and where. */
class JsonFault extends Error {}

interface Cuts {
  /** Longer texts keep head and tail. */
  readonly textBytes: number
  /** Longer arrays and objects keep their first entries. */
  readonly items: number
}

interface JsonCopy {
  readonly value: unknown
  readonly notes: readonly string[]
  readonly cutBytes: number | null
  /** False as soon as the budget is passed; the value is then not whole. */
  readonly fits: boolean
}

const deepest = 200
const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A copy of the value as JSON holds it, cut to size. Throws a JsonFault for what JSON can't hold. */
function toJson(value: unknown, cuts: Cuts, maxBytes: number): JsonCopy {
  const copier = new JsonCopier(cuts, maxBytes)
  const copy = copier.copy(value, ["result"])
  const { notes, cutBytes } = copier
  return { value: copy, notes, cutBytes, fits: copier.left >= 0 }
}

/** Where the copier is: one list that grows and shrinks with it, since most values need no name. */
type Path = (string | number)[]

class JsonCopier {
  readonly notes: string[] = []
  cutBytes: number | null = 0
  readonly #cuts: Cuts
  readonly #open = new Set<object>()
  /** Of the budget, in bytes of JSON text. */
  left: number

  constructor(cuts: Cuts, maxBytes: number) {
    this.#cuts = cuts
    this.left = maxBytes
  }

  copy(value: unknown, path: Path): unknown {
    if (this.left < 0) return null
    switch (typeof value) {
      case "string":
        return this.#text(value, path)
      case "number":
        return this.#number(value, path)
      case "boolean":
      case "undefined":
        return this.#plain(value ?? null)
      case "object":
        return value === null ? this.#plain(null) : this.#object(value, path)
      default:
        throw new JsonFault(`${fieldName(path)} is a ${typeof value}, which JSON can't hold`)
    }
  }

  #plain<Value>(value: Value): Value {
    this.left -= String(value).length + 1
    return value
  }

  #number(value: number, path: Path): number | null {
    // JSON has no negative zero.
    if (Number.isFinite(value)) return this.#plain(value === 0 ? 0 : value)
    this.notes.push(`${fieldName(path)}: ${value} is not a JSON number, given as null`)
    return this.#plain(null)
  }

  #text(value: string, path: Path): string {
    const { text, omittedBytes } = cutText(value, this.#cuts.textBytes)
    if (omittedBytes > 0) {
      this.notes.push(`${fieldName(path)}: ${omittedBytes} bytes left out`)
      if (this.cutBytes !== null) this.cutBytes += omittedBytes
    }
    this.left -= textBytes(text) + 1
    return text
  }

  #object(value: object, path: Path): unknown {
    if (this.#open.has(value)) throw new JsonFault(`${fieldName(path)} contains itself`)
    if (path.length > deepest) throw new JsonFault("the result is nested too deeply")
    const binary = binaryName(value)
    if (binary) throw new JsonFault(`${fieldName(path)} is a ${binary}, which JSON can't hold`)
    this.#open.add(value)
    const copy = this.#inside(value, path)
    this.#open.delete(value)
    return copy
  }

  #inside(value: object, path: Path): unknown {
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return this.copy(value.toJSON(), path)
    }
    this.left -= 2
    return Array.isArray(value) ? this.#array(value, path) : this.#entries(value, path)
  }

  #array(value: readonly unknown[], path: Path): unknown[] {
    const copy: unknown[] = []
    const most = Math.min(value.length, this.#cuts.items)
    while (copy.length < most && this.left >= 0) {
      copy.push(this.#at(copy.length, value[copy.length], path))
    }
    this.#noteCut(value.length - copy.length, "items", path)
    return copy
  }

  #entries(value: object, path: Path): Record<string, unknown> {
    const keys = Object.keys(value)
    const copy: Record<string, unknown> = {}
    let kept = 0
    let seen = 0
    for (const key of keys) {
      if (kept >= this.#cuts.items || this.left < 0) break
      seen += 1
      const part: unknown = (value as Record<string, unknown>)[key]
      if (part === undefined) continue
      this.left -= textBytes(key) + 2
      kept += 1
      define(copy, key, this.#at(key, part, path))
    }
    this.#noteCut(keys.length - seen, "keys", path)
    return copy
  }

  #at(step: string | number, part: unknown, path: Path): unknown {
    path.push(step)
    const copy = this.copy(part, path)
    path.pop()
    return copy
  }

  #noteCut(count: number, what: string, path: Path): void {
    if (count <= 0) return
    this.notes.push(`${fieldName(path)}: ${count} more ${what} left out`)
    this.cutBytes = null
  }
}

/** Assigning "__proto__" would be no key but another prototype. */
function define(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") copy[key] = value
  else
    Object.defineProperty(copy, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
}

/** ASCII that JSON writes as it is. */
const plainText = /^[ !#-[\]-~]*$/

/** As JSON text in UTF-8, where a control character takes six bytes. */
function textBytes(text: string): number {
  if (plainText.test(text)) return text.length + 2
  return encoder.encode(JSON.stringify(text)).length
}

/** Bytes and collections that JSON.stringify would turn into something else without a word. */
function binaryName(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Array.prototype) return null
  const isForeign =
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise
  return isForeign ? value.constructor.name : null
}
