import { once } from "node:events"
import { connect, type Socket } from "node:net"
import type { Connection } from "../../../contract/index.ts"
import { nobodyListens } from "../../host/unsupported.ts"

/** Servers listen on either; their authors have rarely decided which. */
const addresses = ["127.0.0.1", "::1"]

/** A connection to a server on this machine: a local sandbox has no ports of its own. */
export async function connectPort(
  port: number,
  signal: AbortSignal,
  connections: Set<Socket>,
): Promise<Connection> {
  for (const host of addresses) {
    const socket = await open(host, port, signal)
    if (socket === null) continue
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
    return connectionOver(socket)
  }
  throw nobodyListens(port)
}

/** Null when nobody listens there. */
async function open(host: string, port: number, signal: AbortSignal): Promise<Socket | null> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
  try {
    await once(socket, "connect", { signal })
    return socket
  } catch {
    socket.destroy()
    signal.throwIfAborted()
    return null
  }
}

function connectionOver(socket: Socket): Connection {
  const closed = new Error("The connection was closed.")
  const readable = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false
        const finish = (end: () => void) => {
          if (!isOver) end()
          isOver = true
        }
        socket.pause()
        socket.on("data", (bytes: Buffer) => {
          if (isOver) return
          controller.enqueue(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length))
          if ((controller.desiredSize ?? 0) <= 0) socket.pause()
        })
        socket.once("end", () => finish(() => controller.close()))
        socket.once("error", (error) => finish(() => controller.error(error)))
        socket.once("close", () => finish(() => controller.error(closed)))
      },
      pull() {
        socket.resume()
      },
      cancel() {
        socket.destroy()
      },
    },
    { highWaterMark: 4 },
  )
  const writable = new WritableStream<Uint8Array>({
    start(controller) {
      socket.once("close", () => controller.error(closed))
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => {
      socket.end()
    },
    abort: () => {
      socket.destroy()
    },
  })
  return { readable, writable, close: () => socket.destroy() }
}
