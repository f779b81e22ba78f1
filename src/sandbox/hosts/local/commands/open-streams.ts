import type { ChildProcess } from "node:child_process"
import { closeSync, constants, openSync } from "node:fs"
import { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import type { FifoStore } from "./fifo-store.ts"

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

type ChildEnd = "ignore" | "pipe" | number

/** This process's ends of a command's standard streams. */
export interface CommandStreams {
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
}

export interface OpenStreams {
  readonly stdio: [ChildEnd, ChildEnd, ChildEnd]
  /** Takes this process's ends once the child has its own. */
  connect(child: ChildProcess): CommandStreams
  /** Closes everything when there is no child. */
  abandon(): void
}

/** Without input a command reads /dev/null: what looks at its standard input finds nothing there. */
export async function openStreams(fifos: FifoStore, hasInput: boolean): Promise<OpenStreams> {
  const readEnds = await fifos.take(hasInput ? 3 : 2)
  return readEnds ? overFifos(readEnds) : overSockets(hasInput)
}

function overFifos(readEnds: readonly number[]): OpenStreams {
  const [stdout = -1, stderr = -1, input = null] = readEnds
  const opened = [...readEnds]
  const otherEnd = (fd: number, flags: number) => {
    opened.push(openSync(`/proc/self/fd/${fd}`, flags))
    return opened.at(-1) ?? -1
  }
  const abandon = () => closeAll(opened)
  try {
    const theirs = [otherEnd(stdout, O_WRONLY), otherEnd(stderr, O_WRONLY)] as const
    if (input === null) {
      const connect = () => {
        closeAll(theirs)
        return { stdin: null, ...outputs(stdout, stderr) }
      }
      return { stdio: ["ignore", ...theirs], connect, abandon }
    }
    const writing = otherEnd(input, O_WRONLY | O_NONBLOCK)
    const reading = otherEnd(input, O_RDONLY)
    const connect = () => {
      // This process must not count as a reader, or a command that reads nothing looks as if it did.
      closeAll([...theirs, reading, input])
      return { stdin: new Socket({ fd: writing, readable: false }), ...outputs(stdout, stderr) }
    }
    return { stdio: [reading, ...theirs], connect, abandon }
  } catch (error) {
    abandon()
    throw error
  }
}

function outputs(stdout: number, stderr: number): Pick<CommandStreams, "stdout" | "stderr"> {
  return {
    stdout: new Socket({ fd: stdout, writable: false }),
    stderr: new Socket({ fd: stderr, writable: false }),
  }
}

function closeAll(fds: readonly number[]): void {
  for (const fd of fds) closeSync(fd)
}

function overSockets(hasInput: boolean): OpenStreams {
  return {
    stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe"],
    connect({ stdin, stdout, stderr }) {
      if (!stdout || !stderr) throw new Error("The child was started without its output streams.")
      return { stdin, stdout, stderr }
    },
    abandon() {},
  }
}
