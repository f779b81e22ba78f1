/** Where two values differ. */
export interface Difference {
  /** The way to it, such as "result.stdout". */
  readonly path: string
  readonly recorded: unknown
  readonly now: unknown
}

export interface Comparison {
  readonly differences: readonly Difference[]
  /** Differences in values that change with every run. */
  readonly ignored: readonly string[]
}

/** What differs in every run: times, durations, process numbers and generated names. */
const volatile =
  /(^|\.)(duration_ms|elapsed_ms|time_ms|started_at|ended_at|created_at|updated_at|modified_at|modified|mtime|at|pid|ppid|pgid|log_file|id|session|url|port|free_bytes|uptime_ms|load)$/

export function compareValues(recorded: unknown, now: unknown): Comparison {
  const differences: Difference[] = []
  const ignored: string[] = []
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (Object.is(one, other)) return
    if (isBranch(one) && isBranch(other) && Array.isArray(one) === Array.isArray(other)) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)])
      for (const key of keys) {
        const inside = Array.isArray(one) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`
        compare(one[key], other[key], inside)
      }
      return
    }
    if (volatile.test(path)) ignored.push(path)
    else differences.push({ path, recorded: one, now: other })
  }
  compare(recorded, now, "")
  return { differences, ignored }
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}
