import type { Terminal, TerminalEnding } from "../contract/index.ts"

export interface TerminalConnection {
  /** Of the server. */
  readonly url: string
  readonly ticket: string
  readonly signal?: AbortSignal | undefined
}

/** How much may be on its way in each direction, as the server has it. */
const windowBytes = 128 * 1024

/** The terminal of a ticket, over a WebSocket. What was not read is not acknowledged, so the program waits. */
export function connectTerminal({ url, ticket, signal }: TerminalConnection): Promise<Terminal> {
  const address = new URL("/api/terminals", url)
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:"
  const socket = new WebSocket(address)
  socket.binaryType = "arraybuffer"
  const opened = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<TerminalEnding>()
  const say = (message: unknown) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
  const output = incoming((bytes) => say({ acknowledge: bytes }), close)
  const input = outgoing((bytes) => socket.send(bytes))
  let isClosing = false
  function close(): void {
    isClosing = true
    socket.close()
    finish({ kind: "closed" })
  }
  function finish(ending: TerminalEnding): void {
    signal?.removeEventListener("abort", close)
    const why = ending.kind === "gone" ? ending.why : "It ended at once."
    opened.reject(
      signal?.aborted ? signal.reason : new Error(`The terminal was not opened: ${why}`),
    )
    input.end()
    output.end()
    ended.resolve(ending)
  }

  signal?.addEventListener("abort", close)
  if (signal?.aborted) close()
  socket.addEventListener("open", () => say({ ticket }))
  socket.addEventListener("close", ({ reason }) => {
    finish({ kind: "gone", why: reason || "The connection is closed." })
  })
  socket.addEventListener("error", () => finish({ kind: "gone", why: "The connection broke." }))
  socket.addEventListener("message", ({ data }) => {
    if (isClosing) return
    if (typeof data !== "string") return output.push(new Uint8Array(data))
    const message = Object(JSON.parse(data))
    if (message.opened) opened.resolve()
    if (typeof message.acknowledge === "number") input.acknowledge(message.acknowledge)
    if (message.ended) finish(endingOf(Object(message.ended)))
  })

  const terminal: Terminal = {
    output: output.readable,
    write: input.write,
    resize: async (columns, rows) => say({ resize: { columns, rows } }),
    ended: ended.promise,
    async close() {
      close()
      await ended.promise
    },
  }
  return opened.promise.then(() => terminal)
}

function endingOf(said: Readonly<Record<string, unknown>>): TerminalEnding {
  if (said.kind === "exited") return { kind: "exited", exitCode: Number(said.exit_code) }
  if (said.kind === "closed") return { kind: "closed" }
  return { kind: "gone", why: String(said.why) }
}

/** What comes from the server, acknowledged when it is read. */
function incoming(acknowledge: (bytes: number) => void, onCancel: () => void) {
  const waiting: Uint8Array[] = []
  let read = 0
  let isOver = false
  let arrived = () => {}
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (waiting.length === 0 && !isOver) {
          await new Promise<void>((resolve) => {
            arrived = resolve
          })
        }
        const bytes = waiting.shift()
        if (bytes === undefined) return controller.close()
        controller.enqueue(bytes)
        read += bytes.length
        if (read < windowBytes / 8) return
        acknowledge(read)
        read = 0
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  )
  return {
    readable,
    push(bytes: Uint8Array) {
      waiting.push(bytes)
      arrived()
    },
    end() {
      isOver = true
      arrived()
    },
  }
}

const encoder = new TextEncoder()

/** What goes to the server, as much as it has room for. */
function outgoing(send: (bytes: Uint8Array<ArrayBuffer>) => void) {
  let room = windowBytes
  let isOver = false
  let changed = () => {}
  let last: Promise<void> = Promise.resolve()
  async function pass(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !isOver; ) {
      const piece = bytes.slice(at, at + room)
      if (piece.length > 0) send(piece)
      room -= piece.length
      at += piece.length
      if (room > 0 || at === bytes.length) continue
      await new Promise<void>((resolve) => {
        changed = resolve
      })
    }
  }
  return {
    /** One after the other. */
    write(input: string | Uint8Array): Promise<void> {
      const bytes = typeof input === "string" ? encoder.encode(input) : input
      last = last.then(() => pass(bytes))
      return last
    },
    acknowledge(bytes: number) {
      room += bytes
      changed()
    },
    end() {
      isOver = true
      changed()
    },
  }
}
