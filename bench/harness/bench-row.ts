/** One figure of a suite. `what` says what was measured and in which unit. */
export interface BenchRow {
  readonly id: string
  readonly what: string
  readonly value: number
  /** The value that has to be reached. */
  readonly bar: number
  /** The value that is hoped for. */
  readonly aim: number
  readonly better: "lower" | "higher"
}

export interface BenchOptions {
  /** Also writes the figures to the documents that show them. */
  readonly write: boolean
}

/** A suite is a module bench/<name>.ts that exports `suite`. */
export type BenchSuite = (options: BenchOptions) => Promise<readonly BenchRow[]>

export function reaches(row: BenchRow, goal: "bar" | "aim"): boolean {
  return row.better === "lower" ? row.value <= row[goal] : row.value >= row[goal]
}
