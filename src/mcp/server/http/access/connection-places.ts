import type { Socket } from "node:net"
import type { McpLimits } from "../../calls/mcp-client.ts"
import { fairPlaces } from "./quotas.ts"

export type ConnectionPlaces = ReturnType<typeof connectionPlaces>

/** The connections to the server: those of a token, and strangers, which have not sent one yet. */
export function connectionPlaces(limits: McpLimits, tokens: readonly string[]) {
  // Some places are reserved for strangers, so that a new connection can always send its token.
  const most = limits.connections
  const places = fairPlaces(most - Math.ceil(most * limits.strangerConnections), tokens)
  const owners = new Map<Socket, string>()
  /** When each connected; the oldest first. */
  const strangers = new Map<Socket, number>()
  /** Those whose end is heard of, also while somebody else counts them. */
  const heard = new WeakSet<Socket>()
  let watching: NodeJS.Timeout | undefined

  const isCrowded = () => owners.size + strangers.size > most * limits.crowdedConnections
  const close = (socket: Socket) => {
    strangers.delete(socket)
    socket.destroy()
  }

  /** When places are short, silent strangers are closed. */
  function closeSilent(): void {
    const longest = performance.now() - limits.strangerMs
    const silent = isCrowded() ? [...strangers].filter(([, since]) => since <= longest) : []
    for (const [socket] of silent) close(socket)
    if (isCrowded()) return
    clearInterval(watching)
    watching = undefined
  }

  function forget(socket: Socket): void {
    strangers.delete(socket)
    const token = owners.get(socket)
    if (token === undefined) return
    owners.delete(socket)
    places.free(token)
  }

  /** Counts a new connection; the oldest strangers make room for it. */
  function admit(socket: Socket): void {
    strangers.set(socket, performance.now())
    if (!heard.has(socket)) socket.once("close", () => forget(socket))
    heard.add(socket)
    const [oldest] = strangers.keys()
    if (oldest && owners.size + strangers.size > most) close(oldest)
    if (isCrowded()) watching ??= setInterval(closeSilent, limits.strangerMs / 4).unref()
  }

  return {
    admit,
    /** Counts it no longer, until the returned function is called: somebody else limits those. */
    exempt(socket: Socket): () => void {
      forget(socket)
      return () => {
        if (!socket.destroyed) admit(socket)
      }
    },
    /** Counts the connection as this token's; false when that token has as many as it may. */
    claim(socket: Socket, token: string): boolean {
      if (socket.destroyed || owners.get(socket) === token) return true
      if (!places.take(token)) return false
      forget(socket)
      owners.set(socket, token)
      return true
    },
  }
}
