import { execFile } from "node:child_process"
import { closeSync, constants, openSync, unlinkSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const run = promisify(execFile)
/** Each batch costs a process; a command needs two or three. */
const batch = 16

/** Both ends of a pipe, as file descriptors. */
interface Fifo {
  readonly read: number
  readonly write: number
}

export type FifoStore = ReturnType<typeof createFifoStore>

/**
 * Real pipes for commands. Node connects a child through sockets, and Linux can't open a socket by
 * name: `echo failed > /dev/stderr` and `tee /dev/stderr` would fail in every command. The names are
 * gone before anyone uses a pipe.
 */
export function createFifoStore(temporaryDirectory: string) {
  const ready: Fifo[] = []
  let filling: Promise<boolean> | null = null
  let closed = false

  async function fill(): Promise<boolean> {
    const made = await makeFifos(temporaryDirectory, batch)
    ready.push(...made)
    filling = null
    return made.length > 0
  }

  return {
    /** A pipe, owned by the caller; null where this system makes none. */
    async take(): Promise<Fifo | null> {
      // Elsewhere a socket can be opened by name.
      if (process.platform !== "linux") return null
      while (!closed) {
        const fifo = ready.pop()
        if (fifo) return fifo
        filling ??= fill()
        if (!(await filling)) return null
      }
      return null
    },
    async close(): Promise<void> {
      closed = true
      await filling
      for (const { read, write } of ready.splice(0)) {
        closeSync(read)
        closeSync(write)
      }
    },
  }
}

/** None when that can't be done now: no mkfifo, no room, too many open files. */
async function makeFifos(temporaryDirectory: string, count: number): Promise<Fifo[]> {
  const made: Fifo[] = []
  let directory: string | null = null
  try {
    directory = await mkdtemp(join(temporaryDirectory, "toolkeep-"))
    const inside = directory
    const names = Array.from({ length: count }, (_, index) => join(inside, String(index)))
    await run("mkfifo", ["-m", "600", ...names])
    for (const name of names) {
      made.push(openFifo(name))
      unlinkSync(name)
    }
  } catch {
    // With fewer than asked for, or none, the caller does with less.
  }
  if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => {})
  return made
}

/** In this order, because opening the writing end waits for a reader. */
function openFifo(name: string): Fifo {
  const read = openSync(name, O_RDONLY | O_NONBLOCK)
  try {
    return { read, write: openSync(name, O_WRONLY) }
  } catch (error) {
    closeSync(read)
    throw error
  }
}
