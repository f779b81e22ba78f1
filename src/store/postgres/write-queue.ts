/**
 * The writes of one session, one after the other in the order in which they were asked for. Appends that wait behind another
 * write and follow each other are written together.
 */
export class WriteQueue<Append> {
  readonly #write: (appends: readonly Append[]) => Promise<void>
  /** How many more fit to those that wait. */
  readonly #fits: (waiting: readonly Append[], one: Append) => boolean
  #last: Promise<unknown> = Promise.resolve()
  /** The appends at the end of the queue, until their turn comes. */
  #waiting: Append[] | null = null

  constructor(options: {
    readonly write: (appends: readonly Append[]) => Promise<void>
    readonly fits: (waiting: readonly Append[], one: Append) => boolean
  }) {
    this.#write = options.write
    this.#fits = options.fits
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting = null
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  /** `write` has to settle each append, and never rejects. */
  append(one: Append): void {
    if (this.#waiting && this.#fits(this.#waiting, one)) {
      this.#waiting.push(one)
      return
    }
    const together = [one]
    void this.run(() => {
      if (this.#waiting === together) this.#waiting = null
      return this.#write(together)
    })
    this.#waiting = together
  }
}
