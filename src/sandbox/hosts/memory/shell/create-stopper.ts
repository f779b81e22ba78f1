import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { DefenseInDepthBox } from "just-bash"
import { systemClock } from "../../../../kit/index.ts"
import type { LimitErrors, Printed } from "./limit-errors.ts"

/** How many questions of the shell pass between two looks at the memory. */
const questionsPerLook = 256
const nothing: Printed = { stdout: "", stderr: "" }

type StopReason = "asked" | "out-of-memory"

export type Stopper = ReturnType<typeof createStopper>

interface LateAnswer extends Printed {
  readonly late: true
}

interface StopperOptions {
  readonly isAsked: () => boolean
  readonly memoryBytes: number
  readonly collectGarbage: () => void
  readonly errors: LimitErrors
}

/**
 * Ends a script from inside, so that what it has printed is not lost. The shell asks its signal before each step. An aborted one would make it drop its output, but its
 * limit errors preserve it: so the question itself throws one. That also stops loops that never wait.
 */
export function createStopper(options: StopperOptions) {
  const { isAsked, errors } = options
  const sleeping = new Set<() => void>()
  const deadlines = new Set<{ readonly at: number }>()
  let questions = 0
  let reason: StopReason | null = null

  const remaining = () => Math.min(...[...deadlines].map(({ at }) => at)) - systemClock.now()

  function mustStop(): boolean {
    questions += 1
    if (reason === null && isAsked()) reason = "asked"
    if (questions % questionsPerLook === 0 && isTooBig(options)) reason ??= "out-of-memory"
    return reason !== null || (deadlines.size > 0 && remaining() <= 0)
  }

  function check(): false {
    if (mustStop()) throw errors.create(nothing)
    return false
  }

  const { signal } = new AbortController()
  Object.defineProperty(signal, "aborted", { get: check })

  return {
    signal,
    get reason(): StopReason | null {
      return reason
    },

    async sleep(milliseconds: number): Promise<void> {
      await new Promise<void>((resolve) => {
        // Scripts may not use timers; this is not theirs.
        const cancel = DefenseInDepthBox.runTrusted(() =>
          systemClock.after(Math.min(milliseconds, remaining()), wake),
        )
        function wake() {
          cancel()
          sleeping.delete(wake)
          resolve()
        }
        sleeping.add(wake)
      })
      check()
    },

    /** Lets a sleeping script see that it should stop. */
    wake(): void {
      for (const wake of sleeping) wake()
    },

    /** Ends `work` after this long; then its answer is what it has printed. */
    async limit<Answer>(
      milliseconds: number,
      work: () => Promise<Answer>,
    ): Promise<Answer | LateAnswer> {
      const deadline = { at: systemClock.now() + milliseconds }
      deadlines.add(deadline)
      try {
        return await work()
      } catch (error) {
        deadlines.delete(deadline)
        // Not when all of the script, or a limit around this one, has to end.
        if (!errors.is(error) || systemClock.now() < deadline.at || mustStop()) throw error
        return { stdout: error.stdout, stderr: error.stderr, late: true }
      } finally {
        deadlines.delete(deadline)
      }
    },

    /** Passes a nested shell's result on, unless it is what remains of a shell that was stopped. */
    unlessStopped<Result extends Printed>(result: Result): Result {
      if (mustStop()) throw errors.create({ stdout: result.stdout, stderr: result.stderr })
      return result
    },
  }
}

function isTooBig({ memoryBytes, collectGarbage }: StopperOptions): boolean {
  if (heapBytes() <= memoryBytes) return false
  collectGarbage()
  return heapBytes() > memoryBytes
}

export function heapBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** The function that frees what nothing refers to any more; without it, garbage counts as used memory. */
export function captureGarbageCollector(): () => void {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
}
