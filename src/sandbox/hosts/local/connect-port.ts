import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { Duplex } from "node:stream"
import type { Connection } from "../../../contract/index.ts"
import { nobodyListens } from "../../host/unsupported.ts"

/** Servers listen on either; their authors have rarely decided which. */
const addresses = ["127.0.0.1", "::1"]

/** A connection to a server on this machine: a local sandbox has no ports of its own. */
export async function connectPort(
  port: number,
  signal: AbortSignal,
  connections: Set<Connection>,
): Promise<Connection> {
  for (const host of addresses) {
    const socket = await open(host, port, signal)
    if (socket === null) continue
    const close = () => void socket.destroy(new Error("The connection was closed."))
    const connection = { ...Duplex.toWeb(socket), close }
    connections.add(connection)
    socket.on("error", () => {}).once("close", () => connections.delete(connection))
    return connection
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
