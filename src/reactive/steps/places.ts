import { onAbort } from "../../kit/index.ts"

/** A number of places, given in the order in which they were asked for. Who is aborted leaves the queue. */
export class Places {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves to a function that gives the place back. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free === 0) await this.#turn(signal)
    else this.#free -= 1
    return () => this.#giveBack()
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = onAbort(signal, () => {
        this.#queue.delete(enter)
        reject(signal.reason)
      })
      const enter = () => {
        stop()
        resolve()
      }
      this.#queue.add(enter)
    })
  }

  #giveBack(): void {
    const [next] = this.#queue
    if (!next) {
      this.#free += 1
      return
    }
    this.#queue.delete(next)
    next()
  }
}
