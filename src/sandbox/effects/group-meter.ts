import { closeSync, existsSync, openSync, readFileSync, readSync, writeSync } from "node:fs"
import { join } from "node:path"

export interface MemoryCount {
  readonly sinceMs: number
  /** The most since then, in bytes. */
  end(): number
}

/** What the kernel counts for the processes of a control group. Files stay open: opening one costs more than reading it. */
export interface GroupMeter {
  /** Counts the memory from now on; null where the kernel does not. */
  readonly countMemory: (() => MemoryCount) | null
  /** How many processes and threads there are; null where the kernel does not count them. */
  readonly tasks: (() => number) | null
  close(): void
}

/** Of both makes of control groups: one directory for all that is counted, or one for each. */
export function openGroupMeter(directories: readonly string[], createdMs: number): GroupMeter {
  const find = (name: string) =>
    directories.map((directory) => join(directory, name)).find((file) => existsSync(file))
  const [peak, most, tasks] = ["memory.peak", "memory.max_usage_in_bytes", "pids.current"].map(find)
  const open: number[] = []
  const keepOpen = (file: string, flags: string) => {
    const descriptor = openSync(file, flags)
    open.push(descriptor)
    return descriptor
  }
  const countMemory = () => {
    if (peak !== undefined) return () => countPeak(peak, createdMs)
    if (most === undefined) return null
    try {
      return createSharedCounts(keepOpen(most, "r+"))
    } catch {
      // Another user's group, such as a container's.
      return null
    }
  }
  const countTasks = () => {
    if (tasks === undefined) return null
    const descriptor = keepOpen(tasks, "r")
    return () => numberIn(descriptor)
  }
  return {
    ...{ countMemory: countMemory(), tasks: countTasks() },
    close() {
      for (const descriptor of open.splice(0)) closeSync(descriptor)
    },
  }
}

/** The kernel has one peak for all who ask: it starts again only while no other call counts. */
function createSharedCounts(file: number): () => MemoryCount {
  let counting = 0
  let sinceMs = 0
  return () => {
    if (counting === 0) {
      writeSync(file, "0")
      sinceMs = Date.now()
    }
    counting += 1
    const end = () => {
      counting -= 1
      return numberIn(file)
    }
    return { sinceMs, end }
  }
}

/** Since Linux 6.12 each open file has a peak of its own; before, there is one since the group was made. */
function countPeak(file: string, createdMs: number): MemoryCount {
  let own: number | null = null
  try {
    own = openSync(file, "r+")
    writeSync(own, "reset")
  } catch {
    if (own !== null) closeSync(own)
    return { sinceMs: createdMs, end: () => Number(readFileSync(file, "utf8")) }
  }
  const descriptor = own
  return {
    sinceMs: Date.now(),
    end() {
      try {
        return numberIn(descriptor)
      } finally {
        closeSync(descriptor)
      }
    },
  }
}

const digits = Buffer.alloc(32)

function numberIn(file: number): number {
  return Number(digits.toString("latin1", 0, readSync(file, digits, 0, digits.length, 0)))
}
