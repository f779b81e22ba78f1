import type { ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, constants, openSync } from "node:fs"
import { unlink, writeFile } from "node:fs/promises"
import { Socket } from "node:net"
import { join } from "node:path"
import type { Writable } from "node:stream"
import type { OutputStreams } from "../../../commands/watch-command.ts"
import { fileError } from "../file-error.ts"
import type { FifoStore } from "./fifo-store.ts"

type ChildEnd = "ignore" | "pipe" | number

interface CommandStreams {
  readonly stdio: ChildEnd[]
  /** This process's ends, once the child has its own. */
  connect(child: ChildProcess): {
    readonly streams: OutputStreams
    /** Where a streamed input is written to. */
    readonly input: Writable | null
  }
  /** Closes everything when there is no child. */
  abandon(): void
}

export interface StreamSource {
  /** What a command reads; null for what arrives while it runs. */
  readonly stdin: Uint8Array | null
  readonly fifos: FifoStore
  readonly temporaryDirectory: string
}

/** Pipes that a command can open again by name, where this system makes some; else Node's own sockets. */
export async function openStreams(source: StreamSource): Promise<CommandStreams> {
  const { stdin, fifos } = source
  const given = stdin && (await openInput(stdin, source.temporaryDirectory))
  const input = given === null ? await fifos.take() : null
  const [stdout, stderr] = [await fifos.take(), await fifos.take()]
  const ends = [given ?? (input && reopen(input.read)), stdout?.write, stderr?.write]
  const stdio: ChildEnd[] = ends.map((end) => end ?? "pipe")
  const readable = (fifo: typeof stdout, own: ChildProcess["stdout"]) => {
    if (fifo) return new Socket({ fd: fifo.read, writable: false })
    if (own) return own
    throw new Error("The child was started without its output streams.")
  }
  return {
    stdio,
    connect(child) {
      closeAll(stdio)
      const streams = {
        stdout: readable(stdout, child.stdout),
        stderr: readable(stderr, child.stderr),
      }
      if (given !== null) return { streams, input: null }
      const pipe = input && new Socket({ fd: input.write, readable: false, writable: true })
      return { streams, input: pipe ?? child.stdin }
    },
    abandon: () => closeAll([...stdio, stdout?.read, stderr?.read, input?.write]),
  }
}

function closeAll(ends: readonly (ChildEnd | undefined)[]): void {
  for (const end of ends) if (typeof end === "number") closeSync(end)
}

/** Opened again for the child: this end is non-blocking, which programs take for a failure. */
function reopen(end: number): number {
  const again = openSync(`/proc/self/fd/${end}`, constants.O_RDONLY)
  closeSync(end)
  return again
}

/**
 * A file whose name is gone: a command may read it or not, whole or in part, or open it again as
 * /dev/stdin, and nobody waits for anybody. Without input it is /dev/null, so that what looks there
 * for something to read, as ripgrep does, finds nothing.
 */
async function openInput(bytes: Uint8Array, temporaryDirectory: string): Promise<ChildEnd> {
  if (bytes.length === 0) return "ignore"
  const path = join(temporaryDirectory, `toolkeep-${randomUUID()}`)
  try {
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 })
    return openSync(path, "r")
  } catch (error) {
    throw fileError(error, temporaryDirectory)
  } finally {
    await unlink(path).catch(() => {})
  }
}
