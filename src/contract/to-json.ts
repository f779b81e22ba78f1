import { fieldName } from "./argument-path.ts"
import { cutText } from "./cut-text.ts"

/** A value that JSON can't hold. The message says what it is and where. */
export class JsonFault extends Error {}

export interface Cuts {
  /** Longer texts keep head and tail. */
  readonly textBytes: number
  /** Longer arrays and objects keep their first entries. */
  readonly items: number
}

export interface JsonCopy {
  readonly value: unknown
  readonly notes: readonly string[]
  /** False as soon as the budget is passed; the value is then not whole. */
  readonly fits: boolean
}

const deepest = 200

/** A copy of the value as JSON holds it, cut to size. Throws a JsonFault for what JSON can't hold. */
export function toJson(value: unknown, cuts: Cuts, maxBytes: number): JsonCopy {
  const copier = new JsonCopier(cuts, maxBytes)
  const copy = copier.copy(value, ["result"])
  return { value: copy, notes: copier.notes, fits: copier.left >= 0 }
}

type Path = (string | number)[]

class JsonCopier {
  readonly notes: string[] = []
  readonly #cuts: Cuts
  readonly #open = new Set<object>()
  left: number

  constructor(cuts: Cuts, maxBytes: number) {
    this.#cuts = cuts
    this.left = maxBytes
  }

  copy(value: unknown, path: Path): unknown {
    if (this.left < 0) return null
    this.left -= 8
    switch (typeof value) {
      case "string":
        return this.#text(value, path)
      case "number":
        if (Number.isFinite(value)) return value
        this.notes.push(`${fieldName(path)}: ${value} is no JSON number, given as null`)
        return null
      case "boolean":
        return value
      case "undefined":
        return null
      case "object":
        return value === null ? null : this.#object(value, path)
      default:
        throw new JsonFault(`${fieldName(path)} is a ${typeof value}, which JSON can't hold`)
    }
  }

  #text(value: string, path: Path): string {
    const { text, omittedBytes } = cutText(value, this.#cuts.textBytes)
    if (omittedBytes > 0) this.notes.push(`${fieldName(path)}: ${omittedBytes} bytes left out`)
    this.left -= text.length
    return text
  }

  #object(value: object, path: Path): unknown {
    if (this.#open.has(value)) throw new JsonFault(`${fieldName(path)} contains itself`)
    if (path.length > deepest) throw new JsonFault("the result is nested too deeply")
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return this.copy(value.toJSON(), path)
    }
    if (ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set) {
      const name = value.constructor.name
      throw new JsonFault(`${fieldName(path)} is a ${name}, which JSON can't hold`)
    }
    this.#open.add(value)
    const copy = Array.isArray(value) ? this.#array(value, path) : this.#entries(value, path)
    this.#open.delete(value)
    return copy
  }

  #array(value: readonly unknown[], path: Path): unknown[] {
    const copy: unknown[] = []
    for (const item of value.slice(0, this.#cuts.items)) {
      copy.push(this.copy(item, [...path, copy.length]))
      if (this.left < 0) return copy
    }
    this.#noteCut(value.length - copy.length, "items", path)
    return copy
  }

  #entries(value: object, path: Path): Record<string, unknown> {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined)
    const kept: [string, unknown][] = []
    for (const [key, part] of entries.slice(0, this.#cuts.items)) {
      this.left -= key.length
      kept.push([key, this.copy(part, [...path, key])])
      if (this.left < 0) break
    }
    if (this.left >= 0) this.#noteCut(entries.length - kept.length, "keys", path)
    return Object.fromEntries(kept)
  }

  #noteCut(count: number, what: string, path: Path): void {
    if (count > 0) this.notes.push(`${fieldName(path)}: ${count} more ${what} left out`)
  }
}
