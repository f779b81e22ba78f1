import type { Writable } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"
import type { Slot } from "./exchange.ts"

export interface Feeding {
  /** Nobody reads any more. */
  stop(): void
}

const lookMs = 1

/** Passes a stream on to a command, as fast as that reads, and closes its input at the end. */
export function feed(slot: Slot, input: ReadableStream<Uint8Array>): Feeding {
  const reader = input.getReader()
  const stopped = Promise.withResolvers<void>()
  let isStopped = false
  let pipe: Writable | null = null
  const stop = () => {
    isStopped = true
    stopped.resolve()
    pipe?.destroy()
    reader.cancel().catch(() => {})
  }

  async function open(): Promise<Writable | null> {
    while (!isStopped) {
      const opened = slot.openInput()
      if (opened) return opened
      await pause(lookMs)
    }
    return null
  }

  async function pump(): Promise<void> {
    pipe = await open()
    // A command may end without having read everything.
    pipe?.on("error", stop)
    while (pipe && !isStopped) {
      const { done, value } = await reader.read()
      if (done) break
      await Promise.race([written(pipe, value), stopped.promise])
    }
  }
  // What the command makes of an input that breaks off is its own answer.
  pump()
    .catch(() => {})
    .finally(() => pipe?.end(() => pipe?.destroy()))

  return { stop }
}

function written(pipe: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    pipe.write(bytes, () => resolve())
  })
}
