/** Entries of one session in a row, at positions in a row. */
export interface PositionRun {
  /** Of its first entry. */
  readonly position: number
  /** The number of the session's row. */
  readonly session: number
  /** The number of its first entry in the session. */
  readonly sequence: number
  readonly length: number
}

/** The entries of a session that have no position yet. */
export interface NewEntries {
  readonly session: number
  /** The number of the first of them. */
  readonly sequence: number
  readonly length: number
  /** When each was recorded; null where they are too many to look. */
  readonly times: readonly number[] | null
}

/** What is to be written: so many more entries in the last run, and new runs after it. */
export interface PositionedRuns {
  readonly extended: number
  readonly runs: readonly PositionRun[]
  readonly last: number
}

/**
 * Gives new entries the positions after `last`, in the order of their times where those are known: what one session began
 * in another comes after its beginning and before its end. Within a session the order is that of its numbers.
 */
export function positionEntries(
  added: readonly NewEntries[],
  { last, lastRun }: { readonly last: number; readonly lastRun: PositionRun | undefined },
): PositionedRuns {
  const runs: { position: number; session: number; sequence: number; length: number }[] = []
  // Where a later session was deleted, the run before it does not go on.
  if (lastRun && lastRun.position + lastRun.length - 1 === last) runs.push({ ...lastRun })
  const isExtended = runs.length > 0
  let position = last
  for (const { session, sequence, length } of inOrder(added)) {
    const run = runs.at(-1)
    if (run?.session === session && run.sequence + run.length === sequence) run.length += length
    else runs.push({ position: position + 1, session, sequence, length })
    position += length
  }
  const [first] = runs
  const extended = isExtended && first && lastRun ? first.length - lastRun.length : 0
  return { extended, runs: isExtended ? runs.slice(1) : runs, last: position }
}

type Part = Omit<NewEntries, "times">

function inOrder(added: readonly NewEntries[]): readonly Part[] {
  if (added.some(({ times }) => times === null)) return added
  const timed = added.flatMap(({ session, sequence, times }) => {
    let time = Number.NEGATIVE_INFINITY
    return (times ?? []).map((at, index) => {
      // Times may go back, numbers do not.
      time = Math.max(time, at)
      return { session, sequence: sequence + index, length: 1, time }
    })
  })
  return timed.sort((a, b) => a.time - b.time)
}
