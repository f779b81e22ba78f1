import { Computed } from "@preact/signals-core"
import { failureOf, type Mark, type StepFailure, thrownFailure } from "./failure.ts"
import { wiringScope } from "./scope.ts"
import { currentTransaction } from "./transaction.ts"
import type { Ref } from "./types.ts"

/** A step whose result is still to come, as what was computed from it knows it. */
export interface PendingStep {
  /** When its run began, or what it waits for; undefined where nothing has. */
  startedMs(): number | undefined
  /** Ends its run, or what it waits for: a person does not want the result any more. */
  stop(): void
}

/**
 * A value that can't be relied on, or that says that something is pending. Made only then: one object for each evaluation
 * would double its time.
 */
export class Marked {
  readonly value: unknown
  readonly mark: Mark | null
  /** Whether the code itself threw, and not what it read. */
  readonly threw: boolean
  /** The pending steps that it was computed from. */
  readonly pending: readonly PendingStep[]

  constructor(outcome: Marked) {
    this.value = outcome.value
    this.mark = outcome.mark
    this.threw = outcome.threw
    this.pending = outcome.pending
  }
}

/** The mark of what is evaluated now: undefined where nothing is, null where it has none. */
let evaluated: Mark | null | undefined

/** The pending steps that what is evaluated now has read, after those of what reads it: a longer list costs only who adds to it. */
const pending: PendingStep[] = []

/** Where those of the part begin that is evaluated now. */
let partStart = 0

/** Whether what is read now becomes part of a value. */
export function isEvaluating(): boolean {
  return evaluated !== undefined
}

/** What is evaluated now has read something without a result. A failure says more than a wait. */
export function addMark(mark: Mark): void {
  if (evaluated === null || evaluated === "waiting") evaluated = mark
}

export function addPending(steps: readonly PendingStep[]): void {
  if (evaluated !== undefined && steps.length > 0) pending.push(...steps)
}

/** Those that this part has read so far. */
export function pendingSteps(): readonly PendingStep[] {
  return pendingSince(partStart)
}

function pendingSince(start: number): readonly PendingStep[] {
  return [...new Set(pending.slice(start))]
}

/** A part of what is evaluated now, whose pending steps are counted apart, and then with the others. */
export function evaluatePart<T>(part: () => T): T {
  const outerStart = partStart
  partStart = pending.length
  try {
    return part()
  } finally {
    partStart = outerStart
  }
}

/**
 * A function for a computed signal, which gives the value of `fn`, or a `Marked` one. What is rare is in a function of its
 * own: V8 puts only short ones where they are called (bench: propagation-deep, propagation-wide).
 */
export function evaluation(fn: () => unknown): () => unknown {
  let last: Marked | undefined
  return () => {
    const outer = evaluated
    const start = pending.length
    evaluated = null
    let value: unknown
    let threw: StepFailure | null = null
    try {
      value = fn()
    } catch (error) {
      threw = failureOf(error)
    }
    if (evaluated !== null || threw !== null || pending.length !== start) {
      last = markedSince(start, { value, threw, last })
      value = last
    }
    evaluated = outer
    return value
  }
}

/** The value with the mark and the pending steps of what was evaluated since; the last one where that is the same. */
function markedSince(
  start: number,
  found: {
    readonly value: unknown
    readonly threw: StepFailure | null
    readonly last: Marked | undefined
  },
): Marked {
  const { value, threw, last } = found
  const mark: Mark | null = evaluated ?? null
  const next = new Marked({
    ...{ value, mark: mark ?? threw, threw: mark === null && threw !== null },
    pending: pendingSince(start),
  })
  pending.length = start
  // The same again is no change.
  return last !== undefined && isSame(last, next) ? last : next
}

function isSame(one: Marked, other: Marked): boolean {
  return (
    one.value === other.value &&
    one.mark === other.mark &&
    one.threw === other.threw &&
    one.pending.length === other.pending.length &&
    one.pending.every((step, index) => step === other.pending[index])
  )
}

/** Reads without marking what is evaluated now. */
export function inspect<T>(read: () => T): { readonly value: T; readonly mark: Mark | null } {
  const outer = evaluated
  const start = pending.length
  evaluated = null
  try {
    const value = read()
    return { value, mark: evaluated }
  } finally {
    evaluated = outer
    pending.length = start
  }
}

/** Where a ref gets its value: a signal. */
export interface Source {
  readonly value: unknown
}

/**
 * The class of every ref. Properties that it does not have are those of its value: a proxy behind its prototype finds
 * them, so that `get` stays a plain method.
 */
export class RefNode {
  protected source: Source
  #properties: Map<string, RefNode> | undefined

  constructor(source: Source) {
    this.source = source
  }

  get(): unknown {
    if (evaluated === undefined) return this.#getOutside()
    const value = this.source.value
    if (!(value instanceof Marked)) return value
    if (value.mark !== null) addMark(value.mark)
    addPending(value.pending)
    return value.value
  }

  map(fn: (item: never, index: number) => unknown): unknown {
    const read = () => listOf(this.get()).map((item, index) => fn(item as never, index))
    return isWiring() ? computedRef(read) : read()
  }

  /** The value with its mark: nothing is thrown, and nothing is marked. */
  outcome(): { readonly value: unknown; readonly mark: Mark | null; readonly threw: boolean } {
    const value = this.source.value
    return value instanceof Marked ? value : { value, mark: null, threw: false }
  }

  property(name: string): RefNode {
    this.#properties ??= new Map()
    let ref = this.#properties.get(name)
    if (!ref) {
      ref = computedRef(() => propertyOf(this.get(), name))
      this.#properties.set(name, ref)
    }
    return ref
  }

  /** In handlers, programs and bodies: what there is now. */
  #getOutside(): unknown {
    const transaction = currentTransaction()
    const { value, mark } = transaction ? transaction.see(() => this.outcome()) : this.outcome()
    if (mark !== null && mark !== "waiting") throw thrownFailure(mark)
    return value
  }
}

Object.setPrototypeOf(
  RefNode.prototype,
  new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, name, ref: RefNode) => readName(ref, name),
    has: () => false,
  }),
)

/** In the body of a pattern, where reading gives references. */
export function isWiring(): boolean {
  return evaluated === undefined && wiringScope() !== null
}

function readName(ref: RefNode, name: string | symbol): unknown {
  if (typeof name === "symbol") return readSymbol(ref, name)
  // A ref is never a promise, whatever its value has.
  if (name === "then" || name === "constructor") return undefined
  if (name === "toString" || name === "valueOf") return () => primitiveOf(ref)
  if (name === "toJSON") return () => ref.get()
  if (isWiring()) return ref.property(name)
  if (evaluated === undefined && currentTransaction() && ref.outcome().mark === "waiting") {
    return ref.property(name)
  }
  return propertyOf(ref.get(), name)
}

function readSymbol(ref: RefNode, name: symbol): unknown {
  if (name === Symbol.toPrimitive) return () => primitiveOf(ref)
  return name === Symbol.iterator ? () => listOf(ref.get())[Symbol.iterator]() : undefined
}

/** As text or a number: only where there is a value. */
function primitiveOf(ref: RefNode): unknown {
  if (!isWiring()) {
    const value = ref.get()
    return typeof value === "object" && value !== null ? JSON.stringify(value) : value
  }
  throw new Error(
    "A reference is not a text in the body of a pattern: write computed(() => …) around it, or sh`…` for a command.",
  )
}

function propertyOf(value: unknown, name: string): unknown {
  if (value === undefined || value === null) return undefined
  const property: unknown = Reflect.get(Object(value), name)
  return typeof property === "function" ? property.bind(value) : property
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function isRef(value: unknown): value is RefNode {
  return value instanceof RefNode
}

export function computedRef(fn: () => unknown): RefNode {
  return new RefNode(new Computed(evaluation(fn)))
}

/**
 * A value that is computed from others, when one of them has changed. It waits where something that it reads has no
 * result yet, and fails where that has failed.
 */
export function computed<T>(fn: () => T): Ref<T> {
  return publicRef(computedRef(fn))
}

/** The properties of its value are found at run time, which no class can declare. */
function publicRef<T>(ref: RefNode): Ref<T> {
  return ref as unknown as Ref<T>
}
