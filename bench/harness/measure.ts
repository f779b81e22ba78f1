import { performance } from "node:perf_hooks"

/** Something to be timed. When it returns a promise, its time ends when the promise settles. */
export type Work = () => unknown

export interface MeasureOptions {
  /** How often each work is timed; the median is what counts. */
  readonly rounds?: number
  /** One timing repeats short work until it takes at least this long. */
  readonly roundMs?: number
  /** Milliseconds from some fixed moment; this machine's clock unless a test brings its own. */
  readonly now?: () => number
}

const defaults = { rounds: 21, roundMs: 20, now: () => performance.now() } as const

/** The median time of one run, in milliseconds. */
export async function measureTime(work: Work, options: MeasureOptions = {}): Promise<number> {
  const { rounds, roundMs, now } = { ...defaults, ...options }
  const timeOf = timeWith(now)
  const repeats = await repeatsFor(work, roundMs, timeOf)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await timeOf(work, repeats))
  return median(times)
}

/**
 * How many times as long `subject` takes as `reference`: the median of the ratios of rounds in which
 * both run directly after each other, in turns first, so that what else the machine does cancels out.
 * The ratio of their rates is `measureTimeRatio(reference, subject)`.
 */
export async function measureTimeRatio(
  subject: Work,
  reference: Work,
  options: MeasureOptions = {},
): Promise<number> {
  const { rounds, roundMs, now } = { ...defaults, ...options }
  const timeOf = timeWith(now)
  const subjectRepeats = await repeatsFor(subject, roundMs, timeOf)
  const referenceRepeats = await repeatsFor(reference, roundMs, timeOf)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const early = round % 2 === 0 ? await timeOf(subject, subjectRepeats) : undefined
    const referenceTime = await timeOf(reference, referenceRepeats)
    const subjectTime = early ?? (await timeOf(subject, subjectRepeats))
    ratios.push(subjectTime / referenceTime)
  }
  return median(ratios)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** Milliseconds of one run, as the mean of `repeats` runs after each other. */
type TimeOf = (work: Work, repeats: number) => Promise<number>

/** Also warms the work up: it is doubled until one timing is long enough. */
async function repeatsFor(work: Work, roundMs: number, timeOf: TimeOf): Promise<number> {
  for (let repeats = 1; ; repeats *= 2) {
    if ((await timeOf(work, repeats)) * repeats >= roundMs) return repeats
  }
}

function timeWith(now: () => number): TimeOf {
  return async (work, repeats) => {
    const started = now()
    for (let left = repeats; left > 0; left -= 1) {
      const result = work()
      // Only real promises are awaited: an await costs more than much of the work that is timed.
      if (result instanceof Promise) await result
    }
    return (now() - started) / repeats
  }
}
