import { limits } from "../../../../contract/index.ts"
import type { Clock } from "../../../../kit/index.ts"
import { type ProcessTable, sendSignal } from "./process-table.ts"

const shortestPauseMs = 2
const longestPauseMs = 40

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
}

/** Asks them to end, waits, and kills what is left. Resolves when they are gone. */
export async function endProcesses(what: ProcessesToEnd): Promise<void> {
  const groups = new Set(what.groups)
  const asked = await signalAll(what, groups, "SIGTERM")
  await untilGone(what, asked, limits.terminateGraceMs)
  // Again until nothing is found: a process may have been born while the others were dying.
  let tooLong = false
  const cancel = what.clock.after(limits.killWaitMs, () => {
    tooLong = true
  })
  let killed: readonly number[]
  do {
    killed = await signalAll(what, groups, "SIGKILL")
    await untilGone(what, killed, limits.killWaitMs)
  } while (killed.length > 0 && !tooLong)
  cancel()
}

/** Resolves with what got the signal, as targets of kill: process ids, and groups as negative ones. */
async function signalAll(
  what: ProcessesToEnd,
  groups: Set<ProcessGroup>,
  signal: NodeJS.Signals,
): Promise<readonly number[]> {
  const targets: number[] = []
  for (const group of groups) {
    if (isOurs(group, what.processes) && sendSignal(-group.id, signal)) targets.push(-group.id)
    else groups.delete(group)
  }
  for (const { pid, group } of await what.processes.carrying(what.mark)) {
    if (!targets.includes(-group) && sendSignal(pid, signal)) targets.push(pid)
  }
  return targets
}

/**
 * A group without members is forgotten at once, because its number may come back as another's. A
 * leader's number that is alive after our leader ended is such another.
 */
function isOurs(group: ProcessGroup, processes: ProcessTable): boolean {
  return group.isLed() || (!processes.isAlive(group.id) && processes.hasMembers(group.id))
}

async function untilGone(
  { processes, clock }: ProcessesToEnd,
  targets: readonly number[],
  atMostMs: number,
): Promise<void> {
  const isAlive = (target: number) =>
    target < 0 ? processes.hasMembers(-target) : processes.isAlive(target)
  let tooLong = false
  const cancel = clock.after(atMostMs, () => {
    tooLong = true
  })
  let left = targets.filter(isAlive)
  for (let pauseMs = shortestPauseMs; left.length > 0 && !tooLong; ) {
    await new Promise<void>((resume) => clock.after(pauseMs, resume))
    pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    left = left.filter(isAlive)
  }
  cancel()
}
