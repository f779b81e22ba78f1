/** What can be learnt about the processes of this machine. */
export interface ProcessTable {
  /** Whether `carrying` can find anything. */
  readonly showsMarks: boolean
  /** The living processes that carry the id in their mark. */
  carrying(id: string): Promise<readonly MarkedProcess[]>
  /** Those targets that live: process ids, and groups as negative ones, as kill has them. */
  living(targets: readonly number[]): readonly number[]
}

export interface MarkedProcess {
  readonly pid: number
  readonly group: number
}

/** What every POSIX system tells: whether a signal could be sent. Zombies count as living. */
export const signalTable: ProcessTable = {
  showsMarks: false,
  carrying: async () => [],
  living: (targets) => targets.filter(canSignal),
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
