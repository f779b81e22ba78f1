import { type ServerResponse, STATUS_CODES } from "node:http"

/** A page of one sentence, in Toolkeep's own name. Never throws: who can't be answered loses the connection. */
export function sendText(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = { "X-Content-Type-Options": "nosniff" },
): void {
  if (response.writableEnded) return
  response.on("error", () => {})
  try {
    // With a phrase of its own: one that an answer from outside has left behind is not to be trusted.
    response.writeHead(status, STATUS_CODES[status] ?? "", {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": Buffer.byteLength(sentence) + 1,
      "Cache-Control": "no-store",
      Connection: "close",
      ...headers,
    })
    response.end(response.req.method === "HEAD" ? undefined : `${sentence}\n`)
  } catch {
    response.destroy()
  }
}
