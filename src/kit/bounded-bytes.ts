/** Keeps the first and the last bytes of a stream of any length, and counts the rest. */
export class BoundedBytes {
  readonly #head: GrowingBytes
  readonly #tail: GrowingBytes
  readonly #tailLimit: number
  #total = 0

  constructor(limit: number) {
    this.#tailLimit = Math.floor(limit / 2)
    this.#head = new GrowingBytes(Math.ceil(limit / 2))
    // Twice the limit, so that the tail moves to the front only once in as many bytes.
    this.#tail = new GrowingBytes(2 * this.#tailLimit)
  }

  /** Copies what it keeps: the chunk may be used again. */
  push(chunk: Uint8Array): void {
    this.#total += chunk.length
    const rest = this.#head.append(chunk)
    if (rest.length > 0) this.#pushTail(rest)
  }

  get total(): number {
    return this.#total
  }

  /** How many bytes between head and tail were dropped. */
  get omitted(): number {
    return Math.max(0, this.#total - this.#head.length - this.#tailLimit)
  }

  head(): Uint8Array {
    return this.#head.last(this.#head.length).slice()
  }

  tail(): Uint8Array {
    return this.#tail.last(this.#tailLimit).slice()
  }

  #pushTail(chunk: Uint8Array): void {
    const rest = this.#tail.append(chunk)
    if (rest.length === 0) return
    this.#tail.keepLast(Math.max(0, this.#tailLimit - rest.length))
    this.#tail.append(rest.subarray(Math.max(0, rest.length - this.#tailLimit)))
  }
}

/** One buffer that doubles up to a limit, so that a flood of single bytes costs no object each. */
class GrowingBytes {
  readonly #limit: number
  #bytes = new Uint8Array(0)
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  /** Gives back what no longer fits. */
  append(chunk: Uint8Array): Uint8Array {
    const part = chunk.subarray(0, this.#limit - this.#length)
    const needed = this.#length + part.length
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#limit, Math.max(needed, 2 * this.#bytes.length)))
      larger.set(this.last(this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(part, this.#length)
    this.#length = needed
    return chunk.subarray(part.length)
  }

  keepLast(count: number): void {
    this.#bytes.copyWithin(0, this.#length - count, this.#length)
    this.#length = count
  }

  last(count: number): Uint8Array {
    return this.#bytes.subarray(Math.max(0, this.#length - count), this.#length)
  }
}
