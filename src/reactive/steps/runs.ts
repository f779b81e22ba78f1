import { batch, type Signal, signal } from "@preact/signals-core"
import { type OutputChunk, ToolFailure } from "../../contract/index.ts"
import { failureOf, type StepFailure } from "../graph/failure.ts"
import { outsideTransaction } from "../graph/transaction.ts"
import { reactiveLimits } from "../limits.ts"
import { LiveOutput } from "./output.ts"
import type { Places } from "./places.ts"

export type Outcome =
  | { readonly kind: "running" }
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly failure: StepFailure }

/** What a run is given to work with. */
export interface RunControl {
  readonly signal: AbortSignal
  /** What is cleaned up after the result is known: the run's place is free after that. */
  readonly after: (cleanup: Promise<unknown>) => void
  /** Takes what a command prints. */
  readonly print: (chunk: OutputChunk) => void
}

/** What is run: its content, its name in errors, and the work itself. */
export interface RunOrder {
  readonly key: string
  readonly label: string
  readonly isShared: boolean
  readonly perform: (control: RunControl) => Promise<unknown>
}

const endedByPerson = { kind: "user_denied", message: "It was stopped." } as const

/** What a store has of a run. */
export interface KeptRun {
  readonly key: string
  readonly value: unknown
  /** What it printed. */
  readonly output?: string
}

const inProgress: Outcome = { kind: "running" }

/** One piece of work with its outcome. Only its last attempt writes it. */
export class Run {
  readonly order: RunOrder
  readonly outcome: Signal<Outcome>
  readonly output: LiveOutput
  holders = 0
  /** When its last attempt began. */
  startedMs = Date.now()
  bytes = 0
  #attempt: AbortController | null = null
  readonly #runs: Runs

  constructor(runs: Runs, order: RunOrder, kept?: KeptRun) {
    this.#runs = runs
    this.order = order
    this.outcome = signal(kept ? { kind: "done", value: kept.value } : inProgress)
    this.output = new LiveOutput(kept?.output)
  }

  /** Ends what runs, and begins again. */
  start(): void {
    this.stop()
    const attempt = new AbortController()
    this.#attempt = attempt
    this.startedMs = Date.now()
    batch(() => {
      this.output.clear()
      this.outcome.value = inProgress
    })
    this.#runs.track(outsideTransaction(() => this.#work(attempt)))
  }

  /** What the attempt still answers is ignored. */
  stop(): void {
    const attempt = this.#attempt
    this.#attempt = null
    this.output.stop()
    attempt?.abort(new Error("The inputs of this step changed."))
  }

  /** A person ends what runs: that is its outcome. */
  end(): void {
    if (this.#attempt === null) return
    this.stop()
    const failure = failureOf(new ToolFailure(endedByPerson), this.order.label)
    this.#runs.settled(this, { kind: "failed", failure })
  }

  async #work(attempt: AbortController): Promise<void> {
    const { signal } = attempt
    const cleanups: Promise<unknown>[] = []
    const after = (cleanup: Promise<unknown>) => cleanups.push(cleanup)
    const print = (chunk: OutputChunk) => {
      if (this.#attempt === attempt) this.output.add(chunk)
    }
    let leave = () => {}
    let outcome: Outcome
    try {
      leave = await this.#runs.places.take(signal)
      outcome = { kind: "done", value: await this.order.perform({ signal, after, print }) }
    } catch (error) {
      outcome = { kind: "failed", failure: failureOf(error, this.order.label) }
    }
    if (this.#attempt === attempt) {
      this.#attempt = null
      batch(() => {
        this.output.show()
        this.#runs.settled(this, outcome)
      })
    }
    await Promise.allSettled(cleanups)
    leave()
  }
}

/** The runs of a pattern: equal ones are one, and results that nobody uses now are kept for a while. */
export class Runs {
  readonly places: Places
  readonly #shared = new Map<string, Run>()
  /** Those that no step holds, the one that was left first in front. */
  readonly #idle = new Set<Run>()
  #idleBytes = 0
  readonly #working = new Set<Promise<void>>()

  constructor(places: Places) {
    this.places = places
  }

  /** The run of this content, where there is one to share. */
  find(key: string): Run | undefined {
    return this.#shared.get(key)
  }

  /** Joins the run of this content, or starts one. Who joins has to leave. */
  join(order: RunOrder): Run {
    const known = order.isShared ? this.#shared.get(order.key) : undefined
    const run = known ?? new Run(this, order)
    if (!known) {
      if (order.isShared) this.#shared.set(order.key, run)
      run.start()
    }
    return this.#hold(run)
  }

  /** A run that has its result already: from a store. */
  restore(order: RunOrder, kept: KeptRun): Run {
    const known = order.isShared ? this.#shared.get(order.key) : undefined
    const run = known ?? new Run(this, order, kept)
    if (order.isShared) this.#shared.set(order.key, run)
    return this.#hold(run)
  }

  /** The last one to leave aborts it, or leaves its result for those who come later. */
  leave(run: Run): void {
    run.holders -= 1
    if (run.holders > 0) return
    run.stop()
    if (this.#shared.get(run.order.key) !== run) return
    if (run.outcome.peek().kind === "done") this.#keep(run)
    else this.#shared.delete(run.order.key)
  }

  settled(run: Run, outcome: Outcome): void {
    // A failure is not shared with those who come later: they try again.
    if (outcome.kind === "failed" && this.#shared.get(run.order.key) === run) {
      this.#shared.delete(run.order.key)
    }
    run.outcome.value = outcome
  }

  track(work: Promise<void>): void {
    this.#working.add(work)
    const forget = () => this.#working.delete(work)
    work.then(forget, forget)
  }

  /** Resolves when no attempt, aborted or not, works any more. */
  async ended(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  #hold(run: Run): Run {
    run.holders += 1
    if (this.#idle.delete(run)) this.#idleBytes -= run.bytes
    return run
  }

  #keep(run: Run): void {
    const outcome = run.outcome.peek()
    run.bytes = outcome.kind === "done" ? sizeOf(outcome.value) : 0
    this.#idle.add(run)
    this.#idleBytes += run.bytes
    for (const oldest of this.#idle) {
      const { memoEntries, memoBytes } = reactiveLimits
      if (this.#idle.size <= memoEntries && this.#idleBytes <= memoBytes) return
      this.#idle.delete(oldest)
      this.#idleBytes -= oldest.bytes
      this.#shared.delete(oldest.order.key)
    }
  }
}

/** About what it takes in memory. */
function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? "").length
}
