import type { Session, Toolkeep } from "../../session/index.ts"
import type { HttpApp, HttpOptions, HttpServer, SocketHandler } from "./http/serve-http.ts"
import type { StdioOptions } from "./stdio/serve-stdio.ts"

/** Loads what `serveStdio` needs. Loaded on first use: a session that only bridges servers needs no server. */
export const loadStdio = () => import("./stdio/serve-stdio.ts")

/** What `serveHttp` needs, with what servers beside it share. */
export const loadHttp = () => import("./http/serve-http.ts")

/** How answers look to an MCP client, for those who show that to somebody else. */
export const loadResults = () => import("./calls/call-result.ts")

/**
 * Serves a session to one MCP client, on standard input and output or on any pair of streams. Speaks both generations
 * of the protocol. Resolves when the client is gone and its calls have ended; the session stays open.
 */
export async function serveStdio(session: Session, options: StdioOptions = {}): Promise<void> {
  const { serveStdio: serve } = await loadStdio()
  return serve(session, options)
}

/**
 * Serves any number of MCP clients over HTTP on 127.0.0.1, each with a session of its own. Speaks both generations
 * of the protocol. Every request needs one of the tokens. Closing the server leaves Toolkeep open.
 */
export async function serveHttp(
  toolkeep: Toolkeep,
  options: HttpOptions = {},
): Promise<HttpServer> {
  const { serveHttp: serve } = await loadHttp()
  return serve(toolkeep, options)
}

export type { HttpApp, HttpOptions, HttpServer, SocketHandler, StdioOptions }
