import type { ChildProcess } from "node:child_process"
import { closeSync } from "node:fs"
import { Socket } from "node:net"
import type { OutputStreams } from "../../../commands/command-output.ts"
import { closeFifo, type Fifo, type FifoStore } from "./fifo-store.ts"

export interface OpenOutput {
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
