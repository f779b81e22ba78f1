import type { IncomingMessage, ServerResponse } from "node:http"
import type { McpLimits } from "../calls/mcp-client.ts"

export interface ProgressOptions {
  readonly limits: Pick<McpLimits, "requestMs" | "requestStepBytes">
  /** A file on its way may take as long as it moves; all other requests have to be there in time. */
  readonly isStreamed: boolean
}

/** Ends the connection of a request whose body comes too slowly. */
export function requireProgress(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, isStreamed }: ProgressOptions,
): void {
  if (!hasBody(request)) return
  const { socket } = request
  let seen = socket.bytesRead
  const look = () => {
    const came = socket.bytesRead - seen
    seen = socket.bytesRead
    if (request.complete || socket.destroyed) return stop()
    // What waits here to be read is not the client's fault.
    const moves = came >= limits.requestStepBytes || request.readableLength > 0
    if (isStreamed && moves) return
    stop()
    cut(response)
  }
  // After a pause of this process itself, what has come meanwhile is read first.
  const timer = setInterval(() => setImmediate(look), limits.requestMs).unref()
  const stop = () => clearInterval(timer)
  request.once("close", stop)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}

const text = "The request was sent too slowly.\n"

function cut(response: ServerResponse): void {
  const { socket } = response
  if (!response.headersSent) {
    const head = ["HTTP/1.1 408 Request Timeout", "Connection: close", "Content-Type: text/plain"]
    socket?.write(`${head.join("\r\n")}\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
  }
  socket?.destroySoon()
}

/**
 * Ends the connection of a client that takes nothing of its answer. That there is nothing to send yet, because a call goes
 * on, is not its fault.
 */
export function requireReading(response: ServerResponse, unreadMs: number): void {
  response.on("timeout", () => {
    const { socket } = response
    if (socket && socket.writableLength === 0) socket.setTimeout(unreadMs)
    else socket?.destroy()
  })
}

/**
 * Takes what is left of a body once its request is answered, such as one that was too large: the next request on that
 * connection comes after it. The server's adapter ends the connection where that is much.
 */
export function takeRest(request: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    if (request.readableEnded || request.destroyed) return
    // Who has begun to read it as a stream would hold it back, and reads no more of it.
    request.removeAllListeners("data")
    request.resume()
  })
}
