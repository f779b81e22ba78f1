import { ToolFailure } from "../../contract/index.ts"
import { canonicalJson } from "../../kit/index.ts"
import { failureOf, type StepFailure } from "../graph/failure.ts"
import { Marked } from "../graph/ref.ts"
import { isPlainObject } from "../graph/resolve.ts"
import type { RunControl, RunOrder } from "./runs.ts"

/** What a kind of step does with its inputs. */
export interface StepKind<Params> {
  readonly name: string
  /** The inputs without which it does not run. */
  readonly required: readonly (keyof Params & string)[]
  /** The others, beside `when` and the `result` that is for types only. */
  readonly optional: readonly (keyof Params & string)[]
  /** Whether its result depends on nothing but its inputs, so that equal ones are one. */
  readonly isShared: boolean
  /** What tells it from others of its kind in an error. */
  label(params: Params): string
  run(params: Params, control: RunControl): Promise<unknown>
}

/** What a step has to do for its inputs as they are. */
export type Wanted =
  | { readonly kind: "waiting" }
  | { readonly kind: "off" }
  | { readonly kind: "failed"; readonly failure: StepFailure }
  | { readonly kind: "run"; readonly order: RunOrder }

export function wantedFor(kind: StepKind<never>, given: unknown): Wanted {
  const { value, mark } = given instanceof Marked ? given : { value: given, mark: null }
  if (mark === "waiting") return { kind: "waiting" }
  if (mark !== null) return { kind: "failed", failure: mark }
  // As with an input that it needs: what chooses its inputs has not chosen yet.
  if (value === undefined || value === null) return { kind: "waiting" }
  if (!isPlainObject(value)) return misused(`${kind.name} takes its inputs as an object.`)
  const { when = true, result: _, ...params } = value
  if (!when) return { kind: "off" }
  const known: readonly string[] = [...kind.required, ...kind.optional]
  const unknown = Object.keys(params).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown)
    return misused(`${kind.name} has no input ${shown}: it has ${known.join(", ")} and when.`)
  }
  const isMissing = (name: string) => params[name] === undefined || params[name] === null
  if (kind.required.some(isMissing)) return { kind: "waiting" }
  const label = `${kind.name} ${kind.label(params as never)}`.trimEnd()
  try {
    const key = canonicalJson([kind.name, params])
    const perform = (control: RunControl) => kind.run(params as never, control)
    return { kind: "run", order: { key, label, isShared: kind.isShared, perform } }
  } catch (error) {
    // What is not JSON, such as a bigint, is no content.
    return { kind: "failed", failure: failureOf(error, label) }
  }
}

/** What a pattern that nobody type-checks may say. */
function misused(message: string): Wanted {
  const error = new ToolFailure({ kind: "invalid_args", message })
  return { kind: "failed", failure: failureOf(error) }
}

export function isSameWanted(one: Wanted, other: Wanted): boolean {
  if (one.kind === "run") return other.kind === "run" && one.order.key === other.order.key
  if (one.kind === "failed") return other.kind === "failed" && one.failure === other.failure
  return one.kind === other.kind
}
