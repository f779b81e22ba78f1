import { getHeapStatistics } from "node:v8"
import { DefenseInDepthBox } from "just-bash"
import { systemClock } from "../../../../kit/index.ts"
import type { CreateLimitError } from "./limit-error.ts"

/** How many questions of the shell pass between two looks at the memory. */
const questionsPerLook = 256

export type StopReason = "asked" | "out-of-memory"

/** Ends a script from inside, so that what it has printed is kept. */
export interface Stopper {
  readonly signal: AbortSignal
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Ends what `work` runs after this long; says whether it had to. */
  limit(milliseconds: number, work: () => Promise<void>): Promise<"done" | "late">
  readonly reason: StopReason | null
  /** Lets a sleeping script see that it should stop. */
  wake(): void
}

export interface StopperOptions {
  readonly isAsked: () => boolean
  readonly memoryBytes: number
  readonly createLimitError: CreateLimitError
}

/**
 * The shell asks its signal before each step. An aborted one would make it drop its output, but its
 * limit errors keep it: so the question itself throws one. That also stops loops that never wait.
 */
export function createStopper(options: StopperOptions): Stopper {
  const { isAsked, memoryBytes, createLimitError } = options
  const sleeping = new Set<() => void>()
  const deadlines = new Set<number>()
  let questions = 0
  let reason: StopReason | null = null

  function check(): void {
    questions += 1
    if (reason === null && isAsked()) reason = "asked"
    if (questions % questionsPerLook === 0 && heapBytes() > memoryBytes) reason ??= "out-of-memory"
    if (reason !== null || systemClock.now() >= earliest(deadlines)) throw createLimitError()
  }

  const { signal } = new AbortController()
  Object.defineProperty(signal, "aborted", {
    get() {
      check()
      return false
    },
  })

  async function sleep(milliseconds: number): Promise<void> {
    const most = Math.max(0, earliest(deadlines) - systemClock.now())
    await new Promise<void>((resolve) => {
      // Scripts may not use timers; this is not theirs.
      const cancel = DefenseInDepthBox.runTrusted(() =>
        systemClock.after(Math.min(milliseconds, most), wake),
      )
      function wake() {
        cancel()
        sleeping.delete(wake)
        resolve()
      }
      sleeping.add(wake)
    })
    check()
  }

  async function limit(milliseconds: number, work: () => Promise<void>): Promise<"done" | "late"> {
    const deadline = systemClock.now() + milliseconds
    deadlines.add(deadline)
    try {
      await work()
    } finally {
      deadlines.delete(deadline)
    }
    return systemClock.now() >= deadline ? "late" : "done"
  }

  return {
    signal,
    sleep,
    limit,
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

function earliest(deadlines: ReadonlySet<number>): number {
  return Math.min(Number.POSITIVE_INFINITY, ...deadlines)
}
