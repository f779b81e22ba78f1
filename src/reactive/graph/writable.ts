import { Computed, type Signal, signal } from "@preact/signals-core"
import { evaluation, isEvaluating, isRef, isWiring, RefNode } from "./ref.ts"
import { fill, holdsRefs, isPlainObject } from "./resolve.ts"
import { type Scope, wiringScope } from "./scope.ts"
import { type Change, currentTransaction, type Target } from "./transaction.ts"
import type { Input, Ref } from "./types.ts"

/** A value that handlers and programs write. References inside it are filled in when they arrive. */
export type Writable<T> = Ref<T> & {
  set(value: Input<T>): void
  /** Writes some properties of an object; the others stay. */
  update(part: { readonly [Key in keyof T]?: Input<T[Key]> }): void
  /** Adds to a list. What has no value yet appears when it is there; undefined is left out. */
  push(
    ...items: readonly (T extends readonly (infer Item)[] ? Input<Item> | undefined : never)[]
  ): void
  /** One property, or one item of a list, as a writable of its own. */
  key<Key extends keyof T>(name: Key): Writable<T[Key]>
}

/** Hears of each writable that a body makes, so that a store can remember it. */
export interface WritableScope extends Scope {
  initial(place: string, initial: unknown): unknown
  made(place: string, writable: WritableNode): void
}

abstract class WritableBase extends RefNode {
  abstract change(change: Change): void

  set(value: unknown): void {
    this.change(() => value)
  }

  update(part: Readonly<Record<string, unknown>>): void {
    this.change((raw) => ({ ...requireObject(raw), ...part }))
  }

  push(...items: readonly unknown[]): void {
    const added = items.filter((item) => item !== undefined)
    this.change((raw) => [...requireList(raw), ...added])
  }

  key(name: string | number): WritableBase {
    return new KeyNode(this, name)
  }
}

/** What is written is held as it was given, with its refs; readers see it filled in. */
export class WritableNode extends WritableBase implements Target {
  readonly #raw: Signal<unknown>
  #filled: Computed<unknown> | undefined

  constructor(initial: unknown) {
    const raw = signal<unknown>(undefined)
    super(raw)
    this.#raw = raw
    this.writeRaw(initial)
  }

  peekRaw(): unknown {
    return this.#raw.peek()
  }

  writeRaw(raw: unknown): void {
    if (raw === this.#raw.peek()) return
    if (holdsRefs(raw)) {
      this.#filled ??= new Computed(evaluation(() => fill(this.#raw.value)))
      this.source = this.#filled
    } else this.source = this.#raw
    this.#raw.value = raw
  }

  change(change: Change): void {
    requireWritable()
    const transaction = currentTransaction()
    if (transaction) {
      // Tried at once, so that the handler hears of what can't be written.
      transaction.see(() => change(this.peekRaw()))
      transaction.add(this, change)
    } else this.writeRaw(change(this.peekRaw()))
  }
}

class KeyNode extends WritableBase {
  readonly #parent: WritableBase
  readonly #name: string | number

  constructor(parent: WritableBase, name: string | number) {
    super(new Computed(evaluation(() => Reflect.get(Object(parent.get() ?? {}), name))))
    this.#parent = parent
    this.#name = name
  }

  change(change: Change): void {
    const name = this.#name
    this.#parent.change((raw) => {
      if (Array.isArray(raw)) return raw.with(Number(name), change(raw[Number(name)]))
      const object = requireObject(raw)
      return { ...object, [name]: change(object[name]) }
    })
  }
}

function requireWritable(): void {
  if (!isEvaluating()) return
  throw new Error(
    "A Writable can't be changed inside computed, watch or the braces of JSX: change it in a handler.",
  )
}

function requireList(raw: unknown): readonly unknown[] {
  if (raw === undefined) return []
  if (Array.isArray(raw)) return raw
  throw new TypeError("push adds to a list, and this Writable does not hold one.")
}

function requireObject(raw: unknown): Readonly<Record<string, unknown>> {
  if (raw === undefined) return {}
  if (isPlainObject(raw)) return raw
  if (isRef(raw)) return requireObject(raw.get())
  throw new TypeError("This Writable does not hold an object with properties of its own.")
}

function isWritableScope(scope: Scope | null): scope is WritableScope {
  return scope !== null && "made" in scope
}

/** Makes one. In a body it has its place, by which a store finds it again; a label stays when the body changes. */
function of<T>(initial: Input<T>, label?: string): Writable<T> {
  const scope = isWiring() ? wiringScope() : null
  if (!isWritableScope(scope)) return publicWritable(new WritableNode(initial))
  const place = label === undefined ? scope.place("writable") : `${scope.path}:${label}`
  const writable = new WritableNode(scope.initial(place, initial))
  scope.made(place, writable)
  return publicWritable(writable)
}

/** See `publicRef`. */
export function publicWritable<T>(writable: WritableBase): Writable<T> {
  return writable as unknown as Writable<T>
}

export const Writable: { readonly of: typeof of } = { of }
