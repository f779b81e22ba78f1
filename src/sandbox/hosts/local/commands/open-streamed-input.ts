import { closeSync, constants, openSync } from "node:fs"
import { Socket } from "node:net"
import { closeFifo, type FifoStore } from "./fifo-store.ts"
import type { CommandInput } from "./open-input.ts"

/** What a command reads as it arrives: a pipe, which it may open again as /dev/stdin. */
export async function openStreamedInput(fifos: FifoStore): Promise<CommandInput> {
  const pair = await fifos.takePair()
  if (!pair) {
    return {
      stdin: "pipe",
      connect: (child) => child.stdin,
      abandon() {},
      close() {},
    }
  }
  const [fifo, spare] = pair
  closeFifo(spare)
  // Opened anew for the child: the end that is here never waits, and programs take that for a failure.
  const stdin = openSync(`/proc/self/fd/${fifo.read}`, constants.O_RDONLY)
  closeSync(fifo.read)
  return {
    stdin,
    connect: () => new Socket({ fd: fifo.write, readable: false, writable: true }),
    abandon: () => closeSync(fifo.write),
    close: () => closeSync(stdin),
  }
}
