import { getHeapStatistics } from "node:v8"
import { Bash } from "just-bash"
import { systemClock } from "../../../../kit/index.ts"

/** How many questions of the shell pass between two looks at the memory. */
const questionsPerLook = 256

export type StopReason = "asked" | "out-of-memory"

/** Ends a script from inside, so that what it has printed is kept. */
export interface Stopper {
  readonly signal: AbortSignal
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly reason: StopReason | null
  /** Lets sleeping scripts see that they should stop. */
  wake(): void
}

export interface StopperOptions {
  readonly isAsked: () => boolean
  readonly memoryBytes: number
  /** From `captureLimitError`. */
  readonly limitError: Error
}

/**
 * The shell asks its signal before each step. An aborted one would make it drop its output, but its
 * limit errors keep it: so the question itself throws one.
 */
export function createStopper({ isAsked, memoryBytes, limitError }: StopperOptions): Stopper {
  const sleeping = new Set<() => void>()
  let questions = 0
  let reason: StopReason | null = null

  function check(): void {
    questions += 1
    if (reason === null && isAsked()) reason = "asked"
    if (reason === null && questions % questionsPerLook === 0 && heapBytes() > memoryBytes) {
      reason = "out-of-memory"
    }
    if (reason !== null) throw limitError
  }

  const { signal } = new AbortController()
  Object.defineProperty(signal, "aborted", {
    get() {
      check()
      return false
    },
  })

  async function sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = systemClock.after(milliseconds, wake)
      function wake() {
        cancel()
        sleeping.delete(wake)
        resolve()
      }
      sleeping.add(wake)
    })
    check()
  }

  return {
    signal,
    sleep,
    get reason() {
      return reason
    },
    wake() {
      for (const wake of sleeping) wake()
    },
  }
}

export function heapBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** The shell does not export its limit error; exceeding a limit on purpose yields one. */
export function captureLimitError(): Error {
  try {
    new Bash({ commands: [], executionLimits: { maxSourceBytes: 0 } }).transform(":")
  } catch (error) {
    if (error instanceof Error) return Object.assign(error, { stdout: "", stderr: "" })
  }
  throw new Error("The shell no longer limits the size of its source")
}
