import { type IncomingMessage, request, type ServerResponse } from "node:http"
import { type Duplex, pipeline } from "node:stream"
import { limits } from "../../contract/index.ts"
import { endToEndHeaders } from "../network/message-headers.ts"
import { say } from "./say.ts"

/** Asks the server inside over `inside` what was asked here, and answers with what it answers. */
export function passRequest(
  message: IncomingMessage,
  response: ServerResponse,
  inside: Duplex,
): void {
  const asked = askInside(message, inside)
  asked.on("error", (error) => sayFailed(response, error))
  asked.once("response", (answer) => passAnswer(answer, response))
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

export function passAnswer(answer: IncomingMessage, response: ServerResponse): void {
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer))
  } catch {
    answer.destroy()
    say(response, 502, "The server inside answered with headers that can't be passed on.")
    return
  }
  // What is sent first may have to wait for more: an event stream shows that it is open.
  response.flushHeaders()
  pipeline(answer, response, () => {})
}

export function sayFailed(response: ServerResponse, { message: reason }: Error): void {
  say(response, 502, `The server inside did not answer: ${reason.slice(0, 200)}.`)
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined
}
