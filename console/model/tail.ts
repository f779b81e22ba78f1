/** A piece of what a call prints, and how much the call has printed in all with it. */
export interface PrintedPiece {
  readonly text: string
  /** In bytes. */
  readonly until: number
}

/** The end of what a running call prints, joined from what was recorded before and what comes live. */
export class Tail {
  readonly #most: number
  /** What has come live and may be in the record too; null once nothing lies between the two. */
  #pieces: PrintedPiece[] | null = []
  #end = 0
  text = ""

  constructor(mostCharacters: number) {
    this.#most = mostCharacters
  }

  /** False where something was printed before that the record has. */
  add(piece: PrintedPiece): boolean {
    const isFirst = this.#pieces?.length === 0
    const hasGap = isFirst && startOf(piece) > this.#end
    if (isFirst && !hasGap) this.#pieces = null
    this.#pieces?.push(piece)
    this.#append(piece)
    return !hasGap
  }

  /** Whether it lacks something of so many bytes that were recorded, because nothing has come live since. */
  isBehind(bytes: number): boolean {
    return this.#pieces?.length === 0 && this.#end < bytes
  }

  /** What was recorded, which may be a little behind. False where it does not reach what has come live. */
  begin({ text, until }: PrintedPiece): boolean {
    if (this.#pieces === null) return true
    const later = this.#pieces.filter((piece) => piece.until > until)
    const [first] = later
    this.text = text.slice(-this.#most)
    this.#end = until
    for (const piece of later) this.#append(piece)
    const isWhole = first === undefined || startOf(first) <= until
    this.#pieces = isWhole && later.length > 0 ? null : later
    return isWhole
  }

  /** The live pieces begin again, and something may have been printed meanwhile. */
  restart(): void {
    this.#pieces = []
  }

  #append(piece: PrintedPiece): void {
    const known = this.#end - startOf(piece)
    const added = known > 0 ? withoutFirst(piece.text, known) : piece.text
    this.#end = Math.max(this.#end, piece.until)
    this.text = (this.text + added).slice(-this.#most)
  }
}

function startOf({ text, until }: PrintedPiece): number {
  return until - new TextEncoder().encode(text).length
}

function withoutFirst(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(bytes))
}
