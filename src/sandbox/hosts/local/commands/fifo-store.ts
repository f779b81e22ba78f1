import { type ChildProcess, execFile } from "node:child_process"
import { closeSync, constants, openSync, unlinkSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import type { OutputStreams } from "../../../commands/watch-command.ts"

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const run = promisify(execFile)
/** A command needs two. */
const smallestBatch = 6
const largestBatch = 64

/** Both ends of a pipe, as file descriptors. */
interface Fifo {
  readonly read: number
  readonly write: number
}

/**
 * Real pipes for the output of commands. Node connects a child through sockets, and Linux can't open
 * a socket by name: `echo failed > /dev/stderr` and `tee /dev/stderr` would fail in every command.
 * Made in batches, because each batch costs a process; the names are gone before anyone uses a pipe.
 */
export interface FifoStore {
  /** Two pipes, owned by the caller; null where this system makes none. */
  takePair(): Promise<readonly [Fifo, Fifo] | null>
  close(): Promise<void>
}

export function createFifoStore(temporaryDirectory: string): FifoStore {
  const ready: Fifo[] = []
  let size = smallestBatch
  let filling: Promise<boolean> | null = null
  let closed = false

  async function fill(): Promise<boolean> {
    const made = await makeFifos(temporaryDirectory, size)
    size = Math.min(largestBatch, size * 2)
    ready.push(...made)
    filling = null
    return made.length > 0
  }

  async function takePair(): Promise<readonly [Fifo, Fifo] | null> {
    // Elsewhere a socket can be opened by name.
    if (process.platform !== "linux") return null
    while (!closed) {
      const [first, second] = ready
      if (first && second) {
        ready.splice(0, 2)
        // Made ahead, so that the next command needn't wait.
        if (ready.length < 2) filling ??= fill()
        return [first, second]
      }
      filling ??= fill()
      if (!(await filling)) return null
    }
    return null
  }

  async function close(): Promise<void> {
    closed = true
    await filling
    for (const fifo of ready.splice(0)) closeFifo(fifo)
  }

  return { takePair, close }
}

export function closeFifo({ read, write }: Fifo): void {
  closeSync(read)
  closeSync(write)
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

interface OpenOutput {
  /** The child's ends. */
  readonly stdio: readonly ["pipe", "pipe"] | readonly [number, number]
  /** Takes this process's ends once the child has its own. */
  connect(child: ChildProcess): OutputStreams
  /** Closes everything when there is no child. */
  abandon(): void
}

export async function openOutput(fifos: FifoStore): Promise<OpenOutput> {
  const pair = await fifos.takePair()
  return pair ? overFifos(pair) : overSockets()
}

function overFifos([stdout, stderr]: readonly [Fifo, Fifo]): OpenOutput {
  const streamFrom = ({ read, write }: Fifo) => {
    closeSync(write)
    return new Socket({ fd: read, writable: false })
  }
  return {
    stdio: [stdout.write, stderr.write],
    connect: () => ({ stdout: streamFrom(stdout), stderr: streamFrom(stderr) }),
    abandon() {
      closeFifo(stdout)
      closeFifo(stderr)
    },
  }
}

function overSockets(): OpenOutput {
  return {
    stdio: ["pipe", "pipe"],
    connect({ stdout, stderr }) {
      if (!stdout || !stderr) throw new Error("The child was started without its output streams.")
      return { stdout, stderr }
    },
    abandon() {},
  }
}
