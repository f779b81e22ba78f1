/** What a process that works for Toolkeep is given beside its standard streams; 3 is bubblewrap's. */
export const descriptors = { messages: 4, life: 5 } as const

/** One message between this process and one that works for it: JSON, and bytes beside it. */
export interface Frame {
  readonly value: unknown
  readonly bytes: Uint8Array<ArrayBuffer>
}

const headBytes = 8
const none = new Uint8Array()

export function encodeFrame(value: unknown, bytes: Uint8Array = none): readonly Uint8Array[] {
  const json = Buffer.from(JSON.stringify(value))
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(json.length, 0)
  head.writeUInt32BE(bytes.length, 4)
  return [head, json, bytes]
}

/** Puts frames together again. One that claims to be larger than allowed is an error before it is kept. */
export class FrameReader {
  readonly #mostBytes: number
  #chunks: Uint8Array[] = []
  #size = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /** The next whole frame; null when there is none yet. */
  next(): Frame | null {
    if (this.#size < headBytes) return null
    const head = this.#start()
    const jsonBytes = head.readUInt32BE(0)
    const whole = headBytes + jsonBytes + head.readUInt32BE(4)
    if (whole > this.#mostBytes) throw new Error(`a message of ${whole} bytes is too large`)
    if (this.#size < whole) return null
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(whole)]
    this.#size -= whole
    const value: unknown = JSON.parse(all.toString("utf8", headBytes, headBytes + jsonBytes))
    return { value, bytes: new Uint8Array(all.subarray(headBytes + jsonBytes, whole)) }
  }

  #start(): Buffer {
    const [first = none] = this.#chunks
    if (first.length < headBytes) this.#chunks = [Buffer.concat(this.#chunks)]
    const start = this.#chunks[0] ?? none
    return Buffer.from(start.buffer, start.byteOffset, headBytes)
  }
}
