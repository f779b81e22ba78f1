import { effectsLimits } from "../limits.ts"
import type { FoundText } from "./file-text.ts"

/** The texts of a home's files as they are now, those that were read last. */
export class KnownTexts {
  readonly #texts = new Map<string, FoundText>()
  #characters = 0

  has(path: string): boolean {
    return this.#texts.has(path)
  }

  set(path: string, found: FoundText): void {
    this.take(path)
    this.#texts.set(path, found)
    this.#characters += sizeOf(path, found)
    for (const [oldest] of this.#texts) {
      if (this.#characters <= effectsLimits.knownCharacters) break
      this.take(oldest)
    }
  }

  /** What is known of a file, which is not known any more. */
  take(path: string): FoundText | null {
    const found = this.#texts.get(path)
    if (found === undefined) return null
    this.#texts.delete(path)
    this.#characters -= sizeOf(path, found)
    return found
  }

  clear(): void {
    this.#texts.clear()
    this.#characters = 0
  }
}

function sizeOf(path: string, found: FoundText): number {
  return path.length + ("text" in found ? found.text.length : 0)
}
