import { terminalLimits } from "../limits.ts"

/** What the program in a terminal draws, on its way to its reader. */
export interface TerminalOutput {
  readonly readable: ReadableStream<Uint8Array>
  /** A promise, where there is no room for more until it resolves. */
  push(bytes: Uint8Array): void | Promise<void>
  /** What comes from now on is dropped. */
  end(): void
}

export function openOutput(onCancel: () => void): TerminalOutput {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let resume = () => {}
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (own) => {
        controller = own
      },
      pull: () => resume(),
      cancel: () => {
        controller = null
        onCancel()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: terminalLimits.outputBytes }),
  )
  return {
    readable,
    push(bytes) {
      controller?.enqueue(bytes)
      if (controller === null || (controller.desiredSize ?? 0) > 0) return
      return new Promise((resolve) => {
        resume = resolve
      })
    },
    end() {
      controller?.close()
      controller = null
      resume()
    },
  }
}
