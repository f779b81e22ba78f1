import { Computed, effect, type Signal, signal, untracked } from "@preact/signals-core"
import { type StepFailure, thrownFailure } from "../graph/failure.ts"
import {
  addMark,
  addPending,
  computedRef,
  evaluation,
  isEvaluating,
  isWiring,
  Marked,
  type PendingStep,
  RefNode,
} from "../graph/ref.ts"
import { resolve } from "../graph/resolve.ts"
import { currentTransaction } from "../graph/transaction.ts"
import type { KeptRun, Run, RunOrder, Runs } from "./runs.ts"
import { isSameWanted, type StepKind, type Wanted, wantedFor } from "./wanted.ts"

/** The pattern that a step belongs to. */
export interface StepOwner {
  readonly runs: Runs
  /** What a store has of this place. */
  kept(place: string): KeptRun | undefined
  own(step: StepNode): void
  release(step: StepNode): void
}

export interface StepOptions {
  readonly owner: StepOwner
  readonly kind: StepKind<never>
  readonly params: unknown
  /** Its place in the body; null for one that a handler asks for, which runs once. */
  readonly place: string | null
}

interface Status {
  readonly pending: boolean
  readonly result: unknown
  readonly error: StepFailure | undefined
  readonly latest: unknown
}

export class StepNode extends RefNode implements PendingStep {
  readonly place: string | null
  readonly #owner: StepOwner
  readonly #inputs: Computed<unknown>
  readonly #wanted: Computed<Wanted>
  readonly #status: Computed<Status>
  readonly #output: RefNode
  readonly #run: Signal<Run | null> = signal(null)
  readonly #waiting = new Set<() => void>()
  #latest: unknown
  /** What a step of a handler has decided on. */
  #fixed: Wanted | null = null
  #stopWatching = () => {}
  #isDisposed = false

  constructor({ owner, kind, params, place }: StepOptions) {
    const inputs = new Computed(evaluation(() => resolve(params)))
    let last: Wanted = { kind: "waiting" }
    const wanted = new Computed(() => {
      if (this.#fixed) return this.#fixed
      const next = wantedFor(kind, inputs.value)
      if (!isSameWanted(last, next)) last = next
      return last
    })
    const status = new Computed(() => this.#describe(wanted.value))
    super(status)
    this.place = place
    this.#owner = owner
    this.#inputs = inputs
    this.#wanted = wanted
    this.#status = status
    this.#output = new RefNode(
      new Computed(() => this.#runFor(wanted.value)?.output.text.value ?? ""),
    )
    owner.own(this)
    if (place === null) this.#runOnce()
  }

  /** After the body, in which what its inputs read may be declared below it. */
  start(): void {
    if (this.place !== null) this.#follow(this.#owner.kept(this.place))
  }

  get pending(): unknown {
    return this.#read("pending")
  }

  get result(): unknown {
    return this.#read("result")
  }

  get error(): unknown {
    return this.#read("error")
  }

  get latest(): unknown {
    return this.#read("latest")
  }

  startedMs(): number | undefined {
    const run = this.#run.peek()
    if (run) return run.startedMs
    const starts = this.#awaited().flatMap((step) => step.startedMs() ?? [])
    return starts.length === 0 ? undefined : Math.min(...starts)
  }

  stop(): void {
    const run = this.#run.peek()
    if (run) run.end()
    else for (const step of this.#awaited()) step.stop()
  }

  /** What its inputs wait for. */
  #awaited(): readonly PendingStep[] {
    const inputs = this.#inputs.peek()
    return inputs instanceof Marked ? inputs.pending : []
  }

  get output(): unknown {
    if (isWiring()) return this.#output
    const transaction = isEvaluating() ? null : currentTransaction()
    // What is still to be printed appears where the handler puts it.
    const isComing = transaction?.see(() => this.#status.value).pending
    return isComing ? this.#output : this.#output.get()
  }

  refresh(): void {
    if (!this.#isDisposed) this.#run.peek()?.start()
  }

  settled(): Promise<unknown> {
    // Where a handler waits for the graph, the graph has to know what the handler wrote.
    if (this.place !== null) currentTransaction()?.commit()
    return new Promise((resolveWith, reject) => {
      let stop = () => {}
      const end = () => {
        this.#waiting.delete(onDispose)
        queueMicrotask(() => stop())
      }
      const onDispose = () => {
        end()
        reject(new Error("The pattern of this step has ended."))
      }
      if (this.#isDisposed && this.#status.peek().pending) return onDispose()
      this.#waiting.add(onDispose)
      stop = effect(() => {
        const { pending, error, result } = this.#status.value
        if (pending || this.#wanted.value.kind === "off") return
        end()
        if (error) reject(thrownFailure(error))
        else resolveWith(result)
      })
    })
  }

  /** What a store keeps: the content of its last run, the result, and what it printed. */
  kept(): KeptRun | undefined {
    const run = this.#run.value
    const outcome = run?.outcome.value
    if (!run || outcome?.kind !== "done") return undefined
    const output = run.output.text.peek()
    return { key: run.order.key, value: outcome.value, ...(output !== "" && { output }) }
  }

  /** Reads all of it, so that what reads it is informed of each change. */
  observe(): void {
    void this.#status.value
    this.#output.outcome()
  }

  isPending(): boolean {
    return this.#status.value.pending
  }

  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#stopWatching()
    this.#adopt(null)
    for (const reject of this.#waiting) reject()
  }

  /** A step of the body: runs whenever its content changes. */
  #follow(kept: KeptRun | undefined): void {
    const wanted = this.#wantedNow()
    if (kept && wanted.kind === "run" && wanted.order.key === kept.key) {
      this.#run.value = this.#owner.runs.restore(wanted.order, kept)
    }
    this.#stopWatching = effect(() => {
      const next = this.#wantedNow()
      untracked(() => this.#adopt(next.kind === "run" ? next.order : null))
    })
  }

  /**
   * After the status, which so misses no result for `latest`, and by which a circle is found: what is read before that is
   * evaluated has no place yet where its error could go.
   */
  #wantedNow(): Wanted {
    void this.#status.value
    return this.#wanted.value
  }

  /** A step of a handler: its inputs are those of this moment, or of the moment when the last of them arrives. */
  #runOnce(): void {
    const decide = (wanted: Wanted) => {
      if (wanted.kind === "waiting") return false
      this.#fixed = wanted
      if (wanted.kind === "run") this.#adopt(wanted.order)
      return true
    }
    const transaction = currentTransaction()
    const now = transaction ? transaction.see(() => this.#wantedNow()) : this.#wantedNow()
    if (decide(now)) {
      this.#watchEnd()
      return
    }
    this.#stopWatching = effect(() => {
      const wanted = this.#wantedNow()
      if (!untracked(() => decide(wanted))) return
      queueMicrotask(() => {
        this.#stopWatching()
        if (!this.#isDisposed) this.#watchEnd()
      })
    })
  }

  /** A step of a handler that has ended is held only by those who read it. */
  #watchEnd(): void {
    this.#stopWatching = effect(() => {
      if (this.#status.value.pending) return
      queueMicrotask(() => {
        this.#stopWatching()
        this.#owner.release(this)
      })
    })
  }

  #adopt(order: RunOrder | null): void {
    const held = this.#run.peek()
    if (held?.order.key === order?.key) return
    // What is wanted is joined before what is not is left: both may be the same work.
    const next = order && this.#owner.runs.join(this.place === null ? unshared(order) : order)
    if (held) this.#owner.runs.leave(held)
    if (!this.#isDisposed) this.#run.value = next
  }

  #describe(wanted: Wanted): Status {
    const next = this.#statusFor(wanted)
    if (next.latest !== undefined) this.#latest = next.latest
    return next
  }

  #statusFor(wanted: Wanted): Status {
    const latest = this.#latest
    const nothing = { pending: false, result: undefined, error: undefined, latest }
    switch (wanted.kind) {
      case "waiting":
        return { ...nothing, pending: true }
      case "off":
        return nothing
      case "failed":
        return { ...nothing, error: wanted.failure }
      case "run": {
        const outcome = this.#runFor(wanted)?.outcome.value
        if (outcome?.kind === "done") {
          return { ...nothing, result: outcome.value, latest: outcome.value }
        }
        if (outcome?.kind === "failed") return { ...nothing, error: outcome.failure }
        return { ...nothing, pending: true }
      }
      default:
        return wanted satisfies never
    }
  }

  /** The run of this content: the one that it holds, or another's that it will join. */
  #runFor(wanted: Wanted): Run | undefined {
    if (wanted.kind !== "run") return undefined
    const { key, isShared } = wanted.order
    const held = this.#run.value
    if (held?.order.key === key) return held
    return isShared ? this.#owner.runs.find(key) : undefined
  }

  #read(field: keyof Status): unknown {
    if (isEvaluating()) {
      const value = this.#fieldRef(field).get()
      if (this.#status.peek().pending) addPending([this])
      return value
    }
    if (isWiring()) return this.#fieldRef(field)
    const transaction = currentTransaction()
    const now = transaction ? transaction.see(() => this.#status.value) : this.#status.peek()
    return transaction && field === "result" && now.pending ? this.#coming() : now[field]
  }

  readonly #refs = new Map<string, RefNode>()

  /** One field alone, so that what reads it is not evaluated when only another one changes. */
  #fieldRef(field: keyof Status): RefNode {
    let ref = this.#refs.get(field)
    if (!ref) {
      ref = computedRef(() => {
        const status = this.#status.value
        if (field === "result" && status.error) addMark(status.error)
        else if (field === "result" && status.pending) addMark("waiting")
        if (status.pending && (field === "result" || field === "pending")) addPending([this])
        return status[field]
      })
      this.#refs.set(field, ref)
    }
    return ref
  }

  /** The result that is still to come, for a handler: once it is there, it stays. */
  #coming(): RefNode {
    let arrived: { readonly value: unknown } | undefined
    return computedRef(() => {
      if (arrived) return arrived.value
      const value = this.#fieldRef("result").get()
      const { pending, error } = this.#status.value
      if (!pending && !error) arrived = { value }
      return value
    })
  }
}

/** What is asked for in a handler is of that moment: nobody else has the same. */
function unshared(order: RunOrder): RunOrder {
  return { ...order, isShared: false }
}
