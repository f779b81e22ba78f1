import { type ServerResponse, STATUS_CODES } from "node:http"
import type { FailedConnection } from "./outbound-connections.ts"

/** What a program inside gets instead of an answer from outside. */
interface Refusal {
  readonly status: number
  readonly sentence: string
}

export function refusalOf(connection: FailedConnection, target: string): Refusal {
  switch (connection.kind) {
    case "denied":
      return {
        status: 403,
        sentence: `The sandbox's network refuses ${target}: ${connection.rule}.`,
      }
    case "failed":
      return { status: 502, sentence: `${target} could not be reached: ${connection.reason}` }
    default:
      return connection satisfies never
  }
}

/** As bytes, where there is no response object to write it. */
export function refusalMessage({ status, sentence }: Refusal): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(sentence) + 1}`,
    "Connection: close",
    "",
    `${sentence}\n`,
  ].join("\r\n")
}

/** A page of one sentence, in Toolkeep's own name. Never throws: a client it can't answer loses the connection. */
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
