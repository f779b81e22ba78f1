import { Bash } from "just-bash"

export interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/** An error that ends a script, or the part of it that a command runs, and preserves what it has printed. */
export type LimitError = Error & Printed

export interface LimitErrors {
  create(printed: Printed): LimitError
  is(error: unknown): error is LimitError
}

type LimitErrorClass = new (message: string, kind: string) => LimitError

/** The shell does not export its limit error; exceeding a limit on purpose yields one. */
export function captureLimitErrors(): LimitErrors {
  try {
    new Bash({ commands: [], executionLimits: { maxSourceBytes: 0 } }).transform(":")
  } catch (error) {
    if (error instanceof Error && error.name === "ExecutionLimitError") {
      const LimitError = error.constructor as LimitErrorClass
      return {
        create: (printed) => Object.assign(new LimitError("ended", "commands"), printed),
        is: (other): other is LimitError => other instanceof LimitError,
      }
    }
  }
  throw new Error("The shell no longer limits the size of its source")
}
