import { Bash } from "just-bash"

/** Makes errors that end a script, or the part of it that a command runs, and keep what it has printed. */
export type CreateLimitError = (stderr?: string) => Error

type LimitErrorClass = new (message: string, kind: string) => Error

/** The shell does not export its limit error; exceeding a limit on purpose yields one. */
export function captureLimitError(): CreateLimitError {
  try {
    new Bash({ commands: [], executionLimits: { maxSourceBytes: 0 } }).transform(":")
  } catch (error) {
    if (error instanceof Error && error.name === "ExecutionLimitError") {
      const LimitError = error.constructor as LimitErrorClass
      return (stderr = "") => Object.assign(new LimitError("ended", "commands"), { stderr })
    }
  }
  throw new Error("The shell no longer limits the size of its source")
}
