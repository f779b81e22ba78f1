import { type CallOutput, recordLimits } from "../../store/index.ts"

/** The beginning and the end of an output of any length. */
export class OutputTail {
  readonly #decoder = new TextDecoder()
  #head = ""
  #tail = ""
  #bytes = 0

  add(bytes: Uint8Array): void {
    const { outputCharacters } = recordLimits
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#bytes += bytes.length
    const room = outputCharacters - this.#head.length
    this.#head += text.slice(0, room)
    const rest = text.slice(Math.max(0, room))
    if (rest !== "") this.#tail = (this.#tail + rest).slice(-outputCharacters)
  }

  get output(): CallOutput {
    return { head: this.#head, tail: this.#tail, bytes: this.#bytes }
  }
}
