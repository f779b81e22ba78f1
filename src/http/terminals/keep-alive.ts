import type { WebSocket } from "ws"
import type { Clock } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"

/** Asks now and then whether the client is there, and ends the connection of one that does not answer. */
export function keepAlive(socket: WebSocket, clock: Clock, mayGoOn: () => boolean): () => void {
  let isThere = true
  let cancel = () => {}
  socket.on("pong", () => {
    isThere = true
  })
  const ask = () => {
    if (!isThere) return socket.terminate()
    if (!mayGoOn()) return
    isThere = false
    socket.ping()
    later()
  }
  const later = () => {
    cancel = clock.after(httpLimits.terminalPingMs, ask)
  }
  later()
  return () => cancel()
}
