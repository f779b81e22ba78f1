/** What can be learnt about the processes of this machine. */
export interface ProcessTable {
  /** Whether `carrying` can find anything. */
  readonly showsMarks: boolean
  /** The living processes that carry the id in their mark. */
  carrying(id: string): Promise<readonly MarkedProcess[]>
  isAlive(pid: number): boolean
  /** Has the group a living member? */
  hasMembers(group: number): boolean
}

export interface MarkedProcess {
  readonly pid: number
  readonly group: number
}

/** What every POSIX system tells: whether a signal could be sent. Zombies count as alive. */
export const signalTable: ProcessTable = {
  showsMarks: false,
  carrying: async () => [],
  isAlive: canSignal,
  hasMembers: (group) => canSignal(-group),
}

export function canSignal(target: number): boolean {
  return sendSignal(target, 0)
}

/** False when nothing is there to get it, or it is not ours to signal. A negative target is a group. */
export function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}
