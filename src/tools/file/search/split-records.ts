/** Cuts a stream of bytes into records that end with a separator. */
export class RecordSplitter {
  readonly #separator: number
  readonly #maxBytes: number
  readonly #onRecord: (record: Uint8Array) => void
  #pending: Uint8Array[] = []
  #pendingLength = 0
  /** Records longer than the limit, which were left out. */
  dropped = 0

  constructor(options: {
    readonly separator: number
    readonly maxBytes: number
    readonly onRecord: (record: Uint8Array) => void
  }) {
    this.#separator = options.separator
    this.#maxBytes = options.maxBytes
    this.#onRecord = options.onRecord
  }

  /** How long the record is that has not ended yet. */
  get pendingBytes(): number {
    return this.#pendingLength
  }

  push(chunk: Uint8Array): void {
    let from = 0
    for (let at = chunk.indexOf(this.#separator); at !== -1; ) {
      this.#add(chunk.subarray(from, at))
      this.#finish()
      from = at + 1
      at = chunk.indexOf(this.#separator, from)
    }
    this.#add(chunk.subarray(from))
  }

  #add(part: Uint8Array): void {
    this.#pendingLength += part.length
    // What is too long is only counted, so a line of a gigabyte takes no memory.
    if (this.#pendingLength > this.#maxBytes) this.#pending = []
    else if (part.length > 0) this.#pending.push(part)
  }

  #finish(): void {
    if (this.#pendingLength > this.#maxBytes) this.dropped += 1
    else this.#onRecord(join(this.#pending, this.#pendingLength))
    this.#pending = []
    this.#pendingLength = 0
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts
  if (parts.length === 1 && first) return first
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
