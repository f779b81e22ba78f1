import { type CallOutput, recordLimits } from "../../store/index.ts"

/** The beginning and the end of what a call prints, as text. Its size is that of the text in UTF-8. */
export class PrintedOutput {
  readonly #decoder = new TextDecoder()
  readonly #head = new Pieces()
  readonly #tail = new Pieces()
  #bytes = 0

  add(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#bytes += Buffer.byteLength(text)
    const room = recordLimits.wholeCharacters - this.#head.characters
    if (room > 0) this.#head.push(text.slice(0, room))
    this.#tail.push(room > 0 ? text.slice(room) : text)
    this.#tail.keepLast(recordLimits.wholeCharacters)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** As much as is recorded while it runs. */
  get output(): CallOutput {
    const { outputCharacters } = recordLimits
    const { head, tail } = this.whole
    if (tail === "") {
      return {
        head: head.slice(0, outputCharacters),
        tail: head.slice(outputCharacters).slice(-outputCharacters),
        bytes: this.#bytes,
      }
    }
    const end = tail.length < outputCharacters ? head.slice(-outputCharacters) + tail : tail
    const last = end.slice(-outputCharacters)
    return { head: head.slice(0, outputCharacters), tail: last, bytes: this.#bytes }
  }

  /** As much as is recorded when it has ended. */
  get whole(): CallOutput {
    return { head: this.#head.text, tail: this.#tail.text, bytes: this.#bytes }
  }
}

/** Text that grows at its end and shrinks at its beginning, without being copied each time. */
class Pieces {
  #pieces: string[] = []
  characters = 0

  push(text: string): void {
    if (text === "") return
    this.#pieces.push(text)
    this.characters += text.length
  }

  /** At least so many characters, and at most a piece more. */
  keepLast(characters: number): void {
    let gone = 0
    for (const piece of this.#pieces) {
      if (this.characters - piece.length < characters) break
      this.characters -= piece.length
      gone += 1
    }
    if (gone > 0) this.#pieces.splice(0, gone)
  }

  get text(): string {
    const text = this.#pieces.join("")
    this.#pieces = text === "" ? [] : [text]
    return text
  }
}
