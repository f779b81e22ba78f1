import type { Socket } from "node:net"
import type { McpLimits } from "../../calls/mcp-client.ts"
import { fairPlaces } from "./fair-places.ts"

/** The connections to the server: those of a token, and those that have not shown one yet. */
export interface ConnectionPlaces {
  /** Takes a new connection; the strangers that have been here longest make room for it. */
  readonly admit: (socket: Socket) => void
  /** A valid token came over this connection. False when that token has as many connections as it may. */
  readonly claim: (socket: Socket, token: string) => boolean
}

type Limits = Pick<
  McpLimits,
  "connections" | "strangerConnections" | "crowdedConnections" | "strangerMs"
>

export function connectionPlaces(limits: Limits, tokens: readonly string[]): ConnectionPlaces {
  // Tokens never have all places, so that there is always one in which a connection can show its token.
  const most = limits.connections
  const places = fairPlaces(most - Math.ceil(most * limits.strangerConnections), tokens)
  const owners = new Map<Socket, string>()
  /** Since when they are here; the oldest first. */
  const strangers = new Map<Socket, number>()
  let watching: NodeJS.Timeout | undefined

  const isCrowded = () => owners.size + strangers.size > most * limits.crowdedConnections
  const close = (socket: Socket) => {
    strangers.delete(socket)
    socket.destroy()
  }

  /** When places are short, nobody is silent for long. */
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

  return {
    admit(socket) {
      strangers.set(socket, performance.now())
      socket.once("close", () => forget(socket))
      const [oldest] = strangers.keys()
      if (oldest && owners.size + strangers.size > most) close(oldest)
      if (isCrowded()) watching ??= setInterval(closeSilent, limits.strangerMs / 4).unref()
    },
    claim(socket, token) {
      if (socket.destroyed || owners.get(socket) === token) return true
      if (!places.take(token)) return false
      forget(socket)
      owners.set(socket, token)
      return true
    },
  }
}
