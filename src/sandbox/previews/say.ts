import type { ServerResponse } from "node:http"

/** A page of one sentence, in Toolkeep's own name. */
export function say(response: ServerResponse, status: number, sentence: string): void {
  if (response.writableEnded) return
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(sentence) + 1,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    Connection: "close",
  })
  response.end(response.req.method === "HEAD" ? undefined : `${sentence}\n`)
}
