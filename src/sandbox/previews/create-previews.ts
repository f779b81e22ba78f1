import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { Pool } from "../pool/create-pool.ts"
import type { PreviewTarget } from "./preview-table.ts"

/** The servers inside a session's sandboxes, at addresses that a browser opens. */
export interface Previews {
  /** The address of a server inside, which is answered from now on. */
  url(target: PreviewTarget): Promise<string>
  /** Whether a Host header has a name that was given out. */
  knows(host: string | undefined): boolean
  /** Answers in any case, if only with a sentence. */
  handleRequest(message: IncomingMessage, response: ServerResponse): void
  handleUpgrade(message: IncomingMessage, client: Duplex, head: Buffer): void
  /** Opens a server of its own on this machine's own addresses, once; gives its port. */
  listen(): Promise<number>
  /** Ends every connection, and the own server. */
  close(): Promise<void>
}

export interface PreviewOptions {
  readonly session: string
  readonly sandboxes: Pool
  /** The port of a server that hands over what is asked of it; an own one is opened when absent. */
  readonly serverPort?: number | undefined
}

/** Loaded on first use: most sessions show nothing. */
export async function createPreviews(options: PreviewOptions): Promise<Previews> {
  const { sessionPreviews } = await import("./session-previews.ts")
  return sessionPreviews(options)
}
