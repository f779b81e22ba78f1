import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { isObject } from "../../../contract/index.ts"
import { splitLines } from "../../../node/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cutDepth } from "./clean-text.ts"
import type { Channel } from "./http-transport.ts"

const { messageBytes, messageDepth, unreadBytes } = bridgeLimits

/** A running server on standard input and output, wherever it runs. */
export interface ServerPipe {
  write(text: string): Promise<void>
  /** Ends it and all its processes. */
  close(): Promise<void>
}

export interface PipeListener {
  readonly onOutput: (bytes: Uint8Array) => void
  /** Called once, with the reason as a sentence. */
  readonly onEnd: (why: string) => void
}

export type OpenPipe = (listener: PipeListener) => Promise<ServerPipe>

/**
 * Messages as lines of JSON. Lines that are not messages are ignored: servers print there what they should not.
 * One that is too large ends the connection, so that no server can fill this process's memory.
 */
export function pipeTransport(open: OpenPipe): Channel {
  let pipe: ServerPipe | null = null
  let why: string | null = null
  let isClosed = false
  /** Bytes that the server has not taken yet. */
  let unread = 0

  const end = (reason: string | null) => {
    if (isClosed) return
    isClosed = true
    why = reason
    transport.onclose?.()
  }
  const split = splitLines(messageBytes)
  const onOutput = (bytes: Uint8Array) => {
    for (const line of isClosed ? [] : split(bytes)) {
      if (isClosed) return
      if (line === null) {
        end(`It sent a message larger than ${messageBytes / 1024 ** 2} MiB.`)
        void pipe?.close()
        return
      }
      const message = readMessage(line)
      if (message) pass(message)
    }
  }

  const pass = (message: JSONRPCMessage) => {
    try {
      transport.onmessage?.(message)
    } catch (error) {
      // A message that its reader can't handle does not end the connection.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const transport: Transport & Record<"stderr" | "pid", null> = {
    // The client tells pipes from HTTP by these two.
    stderr: null,
    pid: null,
    async start() {
      pipe = await open({ onOutput, onEnd: end })
      if (isClosed) await pipe.close()
    },
    async send(message) {
      if (isClosed || !pipe) throw new Error(why ?? "The server is not connected.")
      const line = `${JSON.stringify(message)}\n`
      unread += line.length
      if (unread > unreadBytes) {
        end("It does not read its input.")
        void pipe.close()
        throw new Error("It does not read its input.")
      }
      await pipe.write(line).finally(() => {
        unread -= line.length
      })
    },
    async close() {
      end(null)
      await pipe?.close()
    },
  }
  return { transport, whyEnded: () => why }
}

function readMessage(line: string): JSONRPCMessage | null {
  if (!line.includes("{")) return null
  try {
    const value: unknown = JSON.parse(line)
    if (!isObject(value) || value.jsonrpc !== "2.0") return null
    // A shorter line has no room for that many brackets.
    if (line.length > 2 * messageDepth) cutDepth(value, messageDepth)
    return value as JSONRPCMessage
  } catch {
    return null
  }
}
