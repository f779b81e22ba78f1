import type { Writable } from "node:stream"

export interface Feeding {
  /** Nobody reads any more. */
  stop(): void
}

/**
 * Passes a stream on to a command, as fast as that reads, and closes its input at the end: not before the
 * command has opened it, where that takes a while.
 */
export function feed(
  pipe: Writable,
  input: ReadableStream<Uint8Array>,
  opened: Promise<unknown> = Promise.resolve(),
): Feeding {
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
    .then(() => Promise.race([stopped.promise, opened]))
    .finally(() => pipe.end(() => pipe.destroy()))

  return { stop }
}
