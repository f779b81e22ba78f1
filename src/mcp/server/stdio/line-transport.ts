import type { Readable, Writable } from "node:stream"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import { splitLines } from "../../../node/index.ts"
import { serverLimits } from "../../limits.ts"
import {
  type BadMessage,
  internalError,
  invalidRequest,
  readMessage,
} from "../calls/read-message.ts"

interface Streams {
  readonly input: Readable
  readonly output: Writable
}

/**
 * Messages as lines of JSON, as on standard input and output. A line that is not a message is answered with an error.
 * Nothing is read from a client that does not read its answers.
 */
export function lineTransport({ input, output }: Streams): Transport {
  const transport: Transport = { start, send, close }
  const split = splitLines(serverLimits.messageBytes)
  const waiting: (string | null)[] = []
  const unanswered = new Set<unknown>()
  let drained: Promise<void> | null = null
  let isStarted = false
  let isClosed = false

  const onData = (piece: Buffer) => {
    waiting.push(...split(piece))
    readOn()
  }
  const onEnd = () => void close()

  /** Handles as many lines as there is room for their answers, and reads more input only then. */
  function readOn(): void {
    while (!isClosed && !drained && unanswered.size < serverLimits.requests && waiting.length > 0) {
      take(waiting.shift() ?? null)
    }
    if (isClosed) return
    if (waiting.length > 0 || drained) input.pause()
    else if (input.isPaused()) input.resume()
  }

  function take(line: string | null): void {
    if (line?.trim() === "") return
    const read = line === null ? tooLarge : readMessage(line)
    if (read.kind === "bad") refuse(read)
    else pass(read.message)
  }

  function pass(message: JSONRPCMessage): void {
    if ("method" in message) {
      if ("id" in message) unanswered.add(message.id)
      // A cancelled request is not answered.
      else if (message.method === "notifications/cancelled") {
        unanswered.delete(message.params?.requestId)
      }
    }
    try {
      transport.onmessage?.(message)
    } catch {
      // One message can't keep the others from being answered.
      if (!("method" in message && "id" in message)) return
      unanswered.delete(message.id)
      refuse({ kind: "bad", code: internalError, problem: mistake, id: message.id })
    }
  }

  function refuse({ code, problem, id }: BadMessage): void {
    write({ jsonrpc: "2.0", id, error: { code, message: problem } })
  }

  function write(message: unknown): void {
    if (output.write(`${JSON.stringify(message)}\n`) || drained) return
    drained = new Promise((resolve) => {
      output.once("drain", () => {
        drained = null
        resolve()
        readOn()
      })
    })
  }

  /** The SDK's server starts it again when it connects. */
  async function start(): Promise<void> {
    if (isStarted) return
    isStarted = true
    output.on("error", onEnd)
    input.on("data", onData).on("end", onEnd).on("error", onEnd)
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    if (isClosed) return
    write(message)
    if (!("method" in message)) {
      unanswered.delete(message.id)
      if (waiting.length > 0) readOn()
    }
    if (drained) await drained
  }

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    waiting.length = 0
    input.off("data", onData).off("end", onEnd).pause()
    transport.onclose?.()
  }

  return transport
}

const mistake = "Internal error: the request was not answered."

const tooLarge: BadMessage = {
  kind: "bad",
  code: invalidRequest,
  problem: `The message is larger than ${serverLimits.messageBytes / 1024 ** 2} MiB and was not read.`,
  id: null,
}
