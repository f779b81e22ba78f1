import { limits } from "../../../contract/index.ts"

/**
 * How many lines the agent still has to say about each run. Every request is answered by a known number of
 * lines, so that one more was not written by the agent: whoever floods is found out by the first line too many.
 */
export class OwedAnswers {
  readonly #counts = new Map<number, number>()

  add(run: number): void {
    this.#counts.set(run, (this.#counts.get(run) ?? 0) + 1)
    // A process that was killed before it could report owes its line for ever.
    if (this.#counts.size <= limits.sandbox.owedAnswers) return
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }

  /** False for a line that nobody asked for. */
  take(run: number): boolean {
    const count = this.#counts.get(run)
    if (count === undefined) return false
    if (count > 1) this.#counts.set(run, count - 1)
    else this.#counts.delete(run)
    return true
  }
}
