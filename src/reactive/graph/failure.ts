import { type FailureKind, failureFrom, ToolFailure } from "../../contract/index.ts"

/** Why there is no result: a failure of the envelope's kinds, and the step that it comes from. */
export interface StepFailure {
  readonly kind: FailureKind
  readonly message: string
  /** The step that failed, such as `exec "npm test"`; absent where a `computed` threw. */
  readonly step?: string
}

/** Why a value can't be relied on: what it is computed from has no result yet, or has failed. */
export type Mark = "waiting" | StepFailure

/** What was thrown, as a failure. */
export function failureOf(error: unknown, step?: string): StepFailure {
  const { kind, message } = isCycle(error)
    ? { kind: "invalid_args" as const, message: cycleMessage }
    : isTooDeep(error)
      ? { kind: "execution_error" as const, message: depthMessage }
      : failureFrom(error)
  const failure = { kind, message, ...(step !== undefined && { step }) }
  causes.set(failure, error)
  return failure
}

const causes = new WeakMap<object, unknown>()

/** What was thrown, which knows where; undefined for what is not a failure. */
export function causeOf(failure: unknown): unknown {
  return causes.get(Object(failure))
}

/** For programs and handlers, where a failure is thrown. */
export function thrownFailure({ kind, message, step }: StepFailure): ToolFailure {
  return new ToolFailure({ kind, message: step === undefined ? message : `${step}: ${message}` })
}

const cycleMessage =
  "This value depends on itself: take what it is computed from out of the circle."

const depthMessage =
  "This value is computed through more steps than fit on the stack, or it contains itself: make the chain shorter."

/** signals-core has no other sign for it. */
function isCycle(error: unknown): boolean {
  return error instanceof Error && error.message === "Cycle detected"
}

/** Compared as it is: where the stack ends, there is no room for an expression either. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message === "Maximum call stack size exceeded"
}
