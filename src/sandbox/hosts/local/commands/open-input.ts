import type { ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, constants, openSync } from "node:fs"
import { unlink, writeFile } from "node:fs/promises"
import { Socket } from "node:net"
import { join } from "node:path"
import type { Writable } from "node:stream"
import { fileError } from "../file-error.ts"
import { closeFifo, type FifoStore } from "./fifo-store.ts"

/** What a command reads on its standard input. */
interface CommandInput {
  /** The child's end. */
  readonly stdin: "ignore" | "pipe" | number
  /** Takes this process's end, where it has one, once the child has its own. */
  connect(child: ChildProcess): Writable | null
  /** Closes this process's end when there is no child. */
  abandon(): void
  /** Closes what only the child needs, whether there is one or not. */
  close(): void
}

/** An input that is all there before the command starts has no end in this process. */
const noEnd = { connect: () => null, abandon() {} }

/**
 * A file whose name is gone: a command may read it or not, whole or in part, or open it again as
 * /dev/stdin, and nobody waits for anybody. Without input it is /dev/null, so that what looks there
 * for something to read, as ripgrep does, finds nothing.
 */
export async function openInput(
  bytes: Uint8Array,
  temporaryDirectory: string,
): Promise<CommandInput> {
  if (bytes.length === 0) return { ...noEnd, stdin: "ignore", close() {} }
  const path = join(temporaryDirectory, `toolkeep-${randomUUID()}`)
  try {
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 })
    const stdin = openSync(path, "r")
    return { ...noEnd, stdin, close: () => closeSync(stdin) }
  } catch (error) {
    throw fileError(error, temporaryDirectory)
  } finally {
    await unlink(path).catch(() => {})
  }
}

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
  // Opened again for the child: this end is non-blocking, which programs take for a failure.
  const stdin = openSync(`/proc/self/fd/${fifo.read}`, constants.O_RDONLY)
  closeSync(fifo.read)
  return {
    stdin,
    connect: () => new Socket({ fd: fifo.write, readable: false, writable: true }),
    abandon: () => closeSync(fifo.write),
    close: () => closeSync(stdin),
  }
}

interface Feeding {
  /** Nobody reads any more. */
  stop(): void
}

/** Passes a stream on to a command, as fast as that reads, and closes its input at the end. */
export function feed(pipe: Writable, input: ReadableStream<Uint8Array>): Feeding {
  const reader = input.getReader()
  const stopped = Promise.withResolvers<"stopped">()
  // What the command makes of an input that breaks off is its own answer.
  pipe.on("error", () => stop())

  async function pump(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const written = new Promise<"written">((resolve) => {
        pipe.write(value, () => resolve("written"))
      })
      // Not one piece more for a command that reads no more: the sender may have them without end.
      if ((await Promise.race([stopped.promise, written])) === "stopped") return
    }
  }

  function stop(): void {
    stopped.resolve("stopped")
    pipe.destroy()
    reader.cancel().catch(() => {})
  }

  pump()
    .catch(() => {})
    .finally(() => pipe.end(() => pipe.destroy()))

  return { stop }
}
