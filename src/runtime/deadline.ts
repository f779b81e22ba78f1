import {
  type CallContext,
  type FailureDetails,
  failureFrom,
  limits,
  ToolFailure,
} from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"
import { CallParked } from "./call-parked.ts"

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

export type ToolOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "failed"; readonly failure: FailureDetails }
  | { readonly kind: "parked" }

interface Work {
  readonly run: (input: unknown, context: CallContext) => unknown
  readonly input: unknown
  readonly context: CallContext
}

/**
 * Runs the tool's own code until it settles, or until its deadline and a little grace have passed:
 * a tool that ignores its signal is left behind, and whatever it does later changes nothing.
 */
export async function runTool(work: Work, deadline: Deadline): Promise<ToolOutcome> {
  const outcome = await new Promise<ToolOutcome>((resolve) => {
    deadline.whenAbandoned(() => resolve(abandoned))
    void settle(work).then(resolve)
  })
  const { ending } = deadline
  if (!ending) return outcome
  // Ended by a person, a command still answers with what it printed.
  if (ending.kind === "person" && outcome.kind === "returned") return outcome
  return { kind: "failed", failure: failureOf(ending) }
}

const abandoned: ToolOutcome = {
  kind: "failed",
  failure: { kind: "timeout", message: "The tool did not let go." },
}

async function settle({ run, input, context }: Work): Promise<ToolOutcome> {
  try {
    return { kind: "returned", value: await run(input, context) }
  } catch (error) {
    if (error instanceof CallParked) return { kind: "parked" }
    return { kind: "failed", failure: failureFrom(error) }
  }
}

export function failureOf(ending: Ending): FailureDetails {
  switch (ending.kind) {
    case "deadline":
      return {
        kind: "timeout",
        message: `The call was ended after ${ending.afterMs} ms, its deadline. Ask for less at once, or allow more time.`,
      }
    case "person":
      return {
        kind: "execution_error",
        message: "A person ended the call before it was done.",
        retryable: false,
      }
    case "caller":
      // A caller that knows why says so.
      if (ending.reason instanceof ToolFailure) return failureFrom(ending.reason)
      return isTimeout(ending.reason)
        ? { kind: "timeout", message: "The caller's own deadline passed before the call was done." }
        : { kind: "execution_error", message: "The caller cancelled the call before it was done." }
    default:
      return ending satisfies never
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError"
}
