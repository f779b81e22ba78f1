import type { StepFailure } from "./failure.ts"

/**
 * A reference to a value that may change. `get()` gives the value; so does a property of it inside `computed`, where
 * in the body of a pattern it is a reference again.
 */
export type Ref<T> = { get(): T } & RefProperties<T>

type RefProperties<T> = [NonNullable<T>] extends [readonly (infer Item)[]]
  ? {
      map<Result>(fn: (item: Item, index: number) => Result): Result[]
      readonly length: number
    }
  : [NonNullable<T>] extends [object]
    ? { readonly [Key in keyof NonNullable<T>]: NonNullable<T>[Key] }
    : unknown

/** A value, a ref to it, or a structure with refs anywhere in it. A ref to undefined holds a step that needs it. */
export type Input<T> =
  | T
  | { get(): T | undefined }
  | (T extends readonly (infer Item)[]
      ? readonly Input<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Input<T[Key]> }
        : never)

/** The answer of a step. In the body of a pattern each of them is a reference. */
export interface Async<T> {
  /** Whether a result is still to come. */
  readonly pending: boolean
  /** The result for the inputs as they are now; what reads it waits or fails with the step. */
  readonly result: T | undefined
  readonly error: StepFailure | undefined
  /** The last result, also while a new one is pending. */
  readonly latest: T | undefined
  /** Runs again although nothing changed. */
  refresh(): void
  /** The result once it is there, for handlers and programs; rejects where the step fails. */
  settled(): Promise<T>
}
