import type { IncomingMessage, ServerResponse } from "node:http"
import { previewLimits } from "../limits.ts"
import type { Previews } from "./create-previews.ts"

/** The previews of many sessions at the port of one server, which hands over what is asked of them. */
export interface PreviewHub {
  /** Called by the server once it listens. Previews that are opened before have servers of their own. */
  serveAt(port: number): void
  /** Where the server listens; undefined before it does. */
  port(): number | undefined
  /** The returned function takes them away again. */
  add(previews: Previews): () => void
  /** Answers a request for a preview; false for any other. */
  handleRequest(message: IncomingMessage, response: ServerResponse): boolean
  /** Takes a WebSocket to a preview; undefined for any other. */
  socketHandler(message: IncomingMessage): Previews["handleUpgrade"] | undefined
}

export function createPreviewHub(): PreviewHub {
  const all = new Set<Previews>()
  let served: number | undefined
  const previewsOf = ({ headers }: IncomingMessage) =>
    [...all].find((previews) => previews.knows(headers.host))
  return {
    serveAt(port) {
      served = port
    },
    port: () => served,
    add(previews) {
      all.add(previews)
      return () => all.delete(previews)
    },
    handleRequest(message, response) {
      const previews = previewsOf(message)
      if (!previews) return false
      // As a server of its own would: the server inside may be silent for longer than Toolkeep ever is.
      message.socket.setTimeout(previewLimits.idleMs)
      previews.handleRequest(message, response)
      return true
    },
    socketHandler: (message) => previewsOf(message)?.handleUpgrade,
  }
}
