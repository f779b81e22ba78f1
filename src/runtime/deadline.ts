import { limits } from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"

/** Why a call's signal was aborted. */
export type Ending =
  | { readonly kind: "deadline"; readonly afterMs: number }
  | { readonly kind: "caller"; readonly reason: unknown }
  | { readonly kind: "person" }

/** One signal out of three causes: time, the caller, and a person. The first of them counts. */
export class Deadline {
  readonly #clock: Clock
  readonly #caller: AbortSignal | undefined
  readonly #work = new AbortController()
  readonly #person = new AbortController()
  #ending: Ending | null = null
  #cancelTimer = () => {}
  #cancelAbandoning = () => {}
  #onAbandon: (() => void) | null = null

  constructor(clock: Clock, caller: AbortSignal | undefined) {
    this.#clock = clock
    this.#caller = caller
    if (caller?.aborted) this.#onAbort()
    caller?.addEventListener("abort", this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#work.signal
  }

  get terminated(): AbortSignal {
    return this.#person.signal
  }

  /** Set once the signal is aborted. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** Starts the clock: time spent waiting for a person does not count. */
  start(timeoutMs: number | null): void {
    if (timeoutMs === null) return
    this.#cancelTimer = this.#clock.after(timeoutMs, () => {
      const reason = new DOMException(`The deadline of ${timeoutMs} ms passed.`, "TimeoutError")
      this.#end({ kind: "deadline", afterMs: timeoutMs }, reason)
    })
  }

  /** Calls back when the signal was aborted and the time to let go has passed. For one who waits. */
  whenAbandoned(callback: () => void): void {
    this.#onAbandon = callback
    if (this.#ending) this.#abandonSoon()
  }

  /** A person ends the call. */
  readonly terminate = (): void => {
    this.#end({ kind: "person" }, new DOMException("A person ended the call.", "AbortError"))
  }

  /** The caller ends the call. */
  readonly cancel = (reason: unknown): void => {
    this.#end({ kind: "caller", reason }, reason)
  }

  close(): void {
    this.#cancelTimer()
    this.#cancelAbandoning()
    this.#caller?.removeEventListener("abort", this.#onAbort)
  }

  readonly #onAbort = () => this.cancel(this.#caller?.reason)

  #end(cause: Ending, reason: unknown): void {
    if (this.#ending) return
    this.#ending = cause
    if (cause.kind === "person") this.#person.abort(reason)
    this.#work.abort(reason)
    if (this.#onAbandon) this.#abandonSoon()
  }

  #abandonSoon(): void {
    this.#cancelAbandoning = this.#clock.after(limits.releaseGraceMs, () => this.#onAbandon?.())
  }
}
