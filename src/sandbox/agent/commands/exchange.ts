import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import type { Duplex, Readable, Writable } from "node:stream"
import { makePipes } from "./pipe-stock.ts"

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants
const firstSlots = 16
const mostSlotsAtOnce = 256

/** A place for one command at a time. */
export interface Slot {
  readonly number: number
  /** Opens fresh ends of its pipes, after the command was written (`hasPipe`: with no input), before it is started. */
  open(hasPipe: boolean): SlotPipes
  /** Whether a process inside still has the pipe open from which its command read. */
  hasReader(): Promise<boolean>
}

export interface SlotPipes {
  /**
   * What a command reads that was written with no input. To be closed only when the command has opened its
   * own end, which would wait for another writer for ever.
   */
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
  /**
   * Once the command is over. Until then this process holds the pipes open for writing too: another
   * command could open and close them, and their end would come before the command has opened them.
   */
  release(): void
}

/**
 * The directory through which commands and output are handed over to and from the agent. The sandbox
 * sees it read-only: it can write into the pipes, but never put a link where a pipe was.
 */
export interface Exchange {
  /** On this machine; null where a keeper has it. */
  readonly directory: string | null
  /** Has the connections to the proxy's socket inside; where a directory is shared, the socket is put there. */
  readonly accept?: ((onConnection: (connection: Duplex) => void) => () => void) | undefined
  /** A longer input is given as a pipe. */
  readonly fileInputBytes: number
  take(): Promise<Slot>
  /** Only for a slot whose pipes every writer has closed. */
  giveBack(slot: Slot): void
  /** Without an input the command reads a pipe, until that is closed. */
  write(slot: Slot, fields: readonly string[], stdin: Uint8Array | null): void
  /** Takes away what the command was given, once it is over: it is for no other command to read. */
  forget(slot: Slot): void
}

/** `made` slots have their pipes already. */
export function createExchange(directory: string, made = 0): Exchange {
  const free = Array.from({ length: made }, (_, index) => createSlot(directory, made - 1 - index))
  let growing: Promise<void> | null = null

  async function grow(): Promise<void> {
    const count = Math.min(mostSlotsAtOnce, Math.max(firstSlots, made))
    const numbers = Array.from({ length: count }, (_, index) => made + index)
    made += count
    await makePipes(directory, numbers)
    for (const number of numbers.reverse()) free.push(createSlot(directory, number))
  }

  return {
    directory,
    fileInputBytes: Number.POSITIVE_INFINITY,
    async take() {
      for (;;) {
        const slot = free.pop()
        if (slot) return slot
        // A disk that is full now may have room the next time.
        growing ??= grow().finally(() => {
          growing = null
        })
        await growing
      }
    },
    giveBack: (slot) => {
      free.push(slot)
    },
    write(slot, fields, stdin) {
      const path = join(directory, String(slot.number))
      overwrite(`${path}.cmd`, Buffer.from(fields.map((field) => `${field}\0`).join("")))
      if (stdin) return overwrite(`${path}.in`, stdin)
      chmodSync(`${path}.pipe`, 0o644)
      rmSync(`${path}.in`, { force: true })
      symlinkSync(`${slot.number}.pipe`, `${path}.in`)
    },
    forget(slot) {
      // Removed and not emptied: what the command left behind may still read its input.
      for (const part of ["cmd", "in"]) {
        rmSync(join(directory, `${slot.number}.${part}`), { force: true })
      }
    },
  }
}

/** Cut to its length afterwards: a file that is emptied first and written again costs ext4 ten times as much (bench: exec). */
function overwrite(path: string, content: Uint8Array): void {
  const fd = openSync(path, O_WRONLY | O_CREAT, 0o644)
  try {
    writeFileSync(fd, content)
    ftruncateSync(fd, content.length)
  } finally {
    closeSync(fd)
  }
}

function createSlot(directory: string, number: number): Slot {
  const pathOf = (name: string) => join(directory, `${number}.${name}`)
  const openPipe = (name: string, mode: number): Socket => {
    const fd = openSync(pathOf(name), mode | O_NONBLOCK)
    try {
      return new Socket({ fd, readable: mode === O_RDONLY, writable: mode !== O_RDONLY })
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }
  return {
    number,
    open(hasPipe) {
      const opened: (() => void)[] = []
      try {
        const stdout = openPipe("out", O_RDONLY)
        opened.push(() => stdout.destroy())
        const stderr = openPipe("err", O_RDONLY)
        opened.push(() => stderr.destroy())
        // For reading too: so it opens before the command has, and what is written stays until then.
        const stdin = hasPipe ? openPipe("pipe", O_RDWR) : null
        opened.push(() => stdin?.destroy())
        const held = ["out", "err"].map((name) => {
          const fd = openSync(pathOf(name), O_WRONLY | O_NONBLOCK)
          opened.push(() => closeSync(fd))
          return fd
        })
        const release = () => {
          for (const fd of held) closeSync(fd)
        }
        return { stdin, stdout, stderr, release }
      } catch (error) {
        // This process has no more files to give; those it has just taken are given back.
        for (const close of opened) close()
        throw error
      }
    },
    async hasReader() {
      try {
        closeSync(openSync(pathOf("pipe"), O_WRONLY | O_NONBLOCK))
        return true
      } catch (error) {
        return !(error instanceof Error && "code" in error && error.code === "ENXIO")
      }
    },
  }
}
