import { limits } from "../../../../contract/index.ts"
import type { Clock } from "../../../../kit/index.ts"
import { type ProcessTable, sendSignal } from "./process-table.ts"

const shortestPauseMs = 2
const longestPauseMs = 100

/** A process group that was made for a command. */
export interface ProcessGroup {
  readonly id: number
  /** Has the leader not ended yet? */
  isLed(): boolean
}

export interface ProcessesToEnd {
  /** Everything that carries this id goes ... */
  readonly mark: string
  /** ... and these groups, whatever their members carry. */
  readonly groups: Iterable<ProcessGroup>
  readonly processes: ProcessTable
  readonly clock: Clock
  /** How long they may take to end by themselves. */
  readonly graceMs?: number | undefined
}

/** Asks them to end, waits, and kills what is left. Resolves when they are gone. */
export async function endProcesses(what: ProcessesToEnd): Promise<void> {
  const groups = new Set(what.groups)
  const asked = await signalAll(what, groups, "SIGTERM")
  if (asked.length === 0) return
  await untilGone(what, asked, what.graceMs ?? limits.terminateGraceMs)
  // Again until nothing is found: a process may have been born while the others were dying.
  const deadline = startDeadline(what.clock, limits.killWaitMs)
  let killed: readonly number[]
  do {
    killed = await signalAll(what, groups, "SIGKILL")
    await untilGone(what, killed, limits.killWaitMs)
  } while (killed.length > 0 && !deadline.hasPassed())
  deadline.cancel()
}

/** Resolves with what got the signal, as targets of kill: process ids, and groups as negative ones. */
async function signalAll(
  { mark, processes }: ProcessesToEnd,
  groups: Set<ProcessGroup>,
  signal: NodeJS.Signals,
): Promise<readonly number[]> {
  forgetForeign(groups, processes)
  const targets = [...groups].map(({ id }) => -id).filter((target) => sendSignal(target, signal))
  for (const { pid, group } of await processes.carrying(mark)) {
    if (!targets.includes(-group) && sendSignal(pid, signal)) targets.push(pid)
  }
  return targets
}

/**
 * A group without members is forgotten at once, because its number may come back as another's. A
 * leader's number that lives after our leader ended is such another.
 */
function forgetForeign(groups: Set<ProcessGroup>, processes: ProcessTable): void {
  const ids = [...groups].flatMap(({ id, isLed }) => (isLed() ? [-id] : [-id, id]))
  const living = new Set(processes.living(ids))
  for (const group of groups) {
    const isReplaced = !group.isLed() && living.has(group.id)
    if (!living.has(-group.id) || isReplaced) groups.delete(group)
  }
}

async function untilGone(
  { processes, clock }: ProcessesToEnd,
  targets: readonly number[],
  atMostMs: number,
): Promise<void> {
  const deadline = startDeadline(clock, atMostMs)
  let pauseMs = shortestPauseMs
  let left = processes.living(targets)
  while (left.length > 0 && !deadline.hasPassed()) {
    await new Promise<void>((resume) => clock.after(pauseMs, resume))
    pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    left = processes.living(left)
  }
  deadline.cancel()
}

/** Counted by a timer, because the clock's time of day may jump. */
function startDeadline(clock: Clock, milliseconds: number) {
  let passed = false
  const cancel = clock.after(milliseconds, () => {
    passed = true
  })
  return { hasPassed: () => passed, cancel }
}
