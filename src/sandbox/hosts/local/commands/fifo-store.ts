import { execFile } from "node:child_process"
import { closeSync, constants, openSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const { O_NONBLOCK, O_RDONLY } = constants
const run = promisify(execFile)
const smallestBatch = 6
const largestBatch = 96

/**
 * Real pipes for commands, made in batches because each batch costs a process. Node itself connects a
 * child through sockets, which Linux can't open by name: `echo failed > /dev/stderr`,
 * `tee /dev/stderr` and `cat /dev/stdin` would fail in every command. The names are removed at once;
 * what is kept are read ends, and /proc/self/fd leads to the other end.
 */
export interface FifoStore {
  /** Read ends, owned by the caller; null where this system makes none and needs none. */
  take(count: number): Promise<readonly number[] | null>
  close(): Promise<void>
}

export function createFifoStore(temporaryDirectory: string): FifoStore {
  const ready: number[] = []
  let size = smallestBatch
  let filling: Promise<boolean> | null = null
  let closed = false

  async function fill(): Promise<boolean> {
    const made = await makeFifos(temporaryDirectory, size)
    size = Math.min(largestBatch, size * 2)
    filling = null
    ready.push(...made)
    return made.length > 0
  }

  async function take(count: number): Promise<readonly number[] | null> {
    if (process.platform !== "linux") return null
    while (ready.length < count) {
      filling ??= fill()
      if (!(await filling) || closed) return null
    }
    const taken = ready.splice(-count)
    // Made ahead, so that the next command needn't wait.
    if (ready.length < count) filling ??= fill()
    return taken
  }

  async function close(): Promise<void> {
    closed = true
    await filling
    for (const fd of ready.splice(0)) closeSync(fd)
  }

  return { take, close }
}

/** None when that can't be done here: no mkfifo, no room, too many open files. */
async function makeFifos(temporaryDirectory: string, count: number): Promise<number[]> {
  const made: number[] = []
  let directory: string | null = null
  try {
    directory = await mkdtemp(join(temporaryDirectory, "toolkeep-"))
    const inside = directory
    const names = Array.from({ length: count }, (_, index) => join(inside, String(index)))
    await run("mkfifo", ["-m", "600", ...names])
    for (const name of names) made.push(openSync(name, O_RDONLY | O_NONBLOCK))
    return made
  } catch {
    for (const fd of made) closeSync(fd)
    return []
  } finally {
    if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => {})
  }
}
