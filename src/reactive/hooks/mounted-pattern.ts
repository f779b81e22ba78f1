import { batch } from "@preact/signals-core"
import { canonicalJson } from "../../kit/index.ts"
import type { WritableNode } from "../graph/writable.ts"
import type { Pattern } from "../pattern/pattern.ts"
import { observeAll, type Running, type RunOptions, run } from "../pattern/run.ts"

/** What a component shows: a pattern that runs, or why it does not. A new object after each change. */
export type Mounted<In, Out> =
  | { readonly kind: "running"; readonly running: Running<In, Out> }
  | { readonly kind: "failed"; readonly error: unknown }

export interface MountOrder<In, Out> {
  readonly pattern: Pattern<In, Out>
  readonly inputs: In
  readonly options: RunOptions
}

/** The run of one component, from its first effect to its last. */
export class MountedPattern<In extends object, Out extends object> {
  #order: MountOrder<In, Out> | null = null
  #running: Running<In, Out> | null = null
  #given: Readonly<Record<string, unknown>> = {}
  #isLeft = false

  /** When its effect begins. Left in the same moment, as a strict mode does, it goes on as it is. */
  enter(order: MountOrder<In, Out>, show: (mounted: Mounted<In, Out>) => void): void {
    const before = this.#order
    this.#isLeft = false
    this.#order = order
    if (before && isSameRun(before, order)) return
    const ended = this.#end()
    // A store has one run at a time.
    if (before?.options.store === undefined) this.#start(order, show)
    else ended.then(() => this.#order === order && !this.#isLeft && this.#start(order, show))
  }

  leave(): void {
    this.#isLeft = true
    queueMicrotask(() => {
      if (!this.#isLeft) return
      this.#order = null
      void this.#end()
    })
  }

  /** What the component gives now: inputs that differ from what it gave before are written. */
  give(inputs: In): void {
    const running = this.#running
    if (!running) return
    const before = this.#given
    this.#given = Object.fromEntries(Object.entries(inputs))
    const writables = running.inputs as unknown as Readonly<Record<string, WritableNode>>
    batch(() => {
      for (const [name, value] of Object.entries(inputs)) {
        if (!isSameContent(before[name], value)) writables[name]?.set(value)
      }
    })
  }

  #start(order: MountOrder<In, Out>, show: (mounted: Mounted<In, Out>) => void): void {
    const { pattern, inputs, options } = order
    try {
      const running = run(pattern, inputs, options)
      this.#running = running
      this.#given = Object.fromEntries(Object.entries(inputs))
      running.watch(() => {
        observeAll(running)
        show({ kind: "running", running })
      })
    } catch (error) {
      show({ kind: "failed", error })
    }
  }

  async #end(): Promise<void> {
    const running = this.#running
    this.#running = null
    await running?.dispose()
  }
}

function isSameRun<In, Out>(one: MountOrder<In, Out>, other: MountOrder<In, Out>): boolean {
  const names = ["session", "store", "model", "image", "atOnce"] as const
  return (
    one.pattern === other.pattern &&
    names.every((name) => one.options[name] === other.options[name])
  )
}

function isSameContent(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  try {
    return canonicalJson(one) === canonicalJson(other)
  } catch {
    return false
  }
}
