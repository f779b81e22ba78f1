/** Keeps the first and the last bytes of a stream of any length, and counts the rest. */
export class BoundedBytes {
  readonly #headLimit: number
  readonly #tailLimit: number
  readonly #head: Uint8Array[] = []
  #headLength = 0
  #tail: Uint8Array[] = []
  #tailLength = 0
  #total = 0

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2)
    this.#tailLimit = Math.floor(limit / 2)
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length
    const room = this.#headLimit - this.#headLength
    if (room > 0) {
      const part = chunk.subarray(0, room)
      this.#head.push(part)
      this.#headLength += part.length
    }
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(0, room)))
  }

  get total(): number {
    return this.#total
  }

  /** How many bytes between head and tail were dropped. */
  get omitted(): number {
    return Math.max(0, this.#total - this.#headLength - this.#tailLimit)
  }

  head(): Uint8Array {
    return join(this.#head, this.#headLength)
  }

  tail(): Uint8Array {
    const tail = join(this.#tail, this.#tailLength)
    return tail.subarray(Math.max(0, tail.length - this.#tailLimit))
  }

  #pushTail(chunk: Uint8Array): void {
    this.#tail.push(chunk)
    this.#tailLength += chunk.length
    // Compacted only at twice the limit, so that a flood of small chunks costs one copy per limit.
    if (this.#tailLength > 2 * this.#tailLimit) {
      const kept = this.tail().slice()
      this.#tail = [kept]
      this.#tailLength = kept.length
    }
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
