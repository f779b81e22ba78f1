import type { Writable } from "node:stream"

export interface Feeding {
  /** Nobody reads any more. */
  stop(): void
}

/** Passes a stream on to a command, as fast as that reads, and closes its input at the end. */
export function feed(pipe: Writable, input: ReadableStream<Uint8Array>): Feeding {
  const reader = input.getReader()
  const stopped = Promise.withResolvers<void>()
  // What the command makes of an input that breaks off is its own answer.
  pipe.on("error", () => stopped.resolve())

  async function pump(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const written = new Promise<void>((resolve) => {
        pipe.write(value, () => resolve())
      })
      await Promise.race([written, stopped.promise])
    }
  }
  pump()
    .catch(() => {})
    .finally(() => pipe.end(() => pipe.destroy()))

  return {
    stop() {
      stopped.resolve()
      pipe.destroy()
      reader.cancel().catch(() => {})
    },
  }
}
