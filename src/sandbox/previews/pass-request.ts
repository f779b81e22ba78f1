import { type IncomingMessage, request, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { limits } from "../../contract/index.ts"
import { endToEndHeaders } from "../network/message-headers.ts"
import { passAnswer } from "../network/pass-response.ts"
import { sendText } from "../network/send-text.ts"

/** Asks the server inside over `inside` what was asked here, and answers with what it answers. */
export function passRequest(
  message: IncomingMessage,
  response: ServerResponse,
  inside: Duplex,
): void {
  const asked = askInside(message, inside)
  passAnswer(asked, response, { onProblem: sayFailed(response) })
  response.once("close", () => inside.destroy())
  if (hasBody(message)) message.pipe(asked)
  else asked.end()
}

/** The same request, written anew for the server inside; the host stays what the browser calls it. */
export function askInside(
  message: IncomingMessage,
  inside: Duplex,
  more: Readonly<Record<string, string>> = { Connection: "close" },
) {
  const isChunked = message.headers["transfer-encoding"] !== undefined
  return request({
    createConnection: () => inside,
    ...{ method: message.method, path: message.url, setHost: false, insecureHTTPParser: false },
    maxHeaderSize: limits.preview.headerBytes,
    headers: {
      ...endToEndHeaders(message),
      Host: message.headers.host,
      ...more,
      ...(isChunked && { "Transfer-Encoding": "chunked" }),
    },
  })
}

/** Tells a browser why the server inside has no answer for it. */
export function sayFailed(response: ServerResponse): (reason: string) => void {
  return (reason) =>
    sendText(response, 502, `The server inside did not answer: ${reason.slice(0, 200)}.`)
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined
}
