import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type Duplex, pipeline } from "node:stream"
import { networkLimits } from "../limits.ts"
import { endToEndHeaders, responseHead } from "./message-head.ts"

interface Onward {
  readonly connection: Duplex
  readonly path: string | undefined
  readonly headerBytes: number
  /** What is new on the way on. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A request, written again for the server on the other side. */
export function repeatRequest(message: IncomingMessage, onward: Onward): ClientRequest {
  const isChunked = message.headers["transfer-encoding"] !== undefined
  return request({
    createConnection: () => onward.connection,
    ...{ method: message.method, path: onward.path, setHost: false, insecureHTTPParser: false },
    maxHeaderSize: onward.headerBytes,
    headers: {
      ...endToEndHeaders(message),
      Connection: "close",
      ...onward.headers,
      ...(isChunked && { "Transfer-Encoding": "chunked" }),
    },
  })
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined
}

export function passBody(message: IncomingMessage, asked: ClientRequest): void {
  if (hasBody(message)) message.pipe(asked)
  else asked.end()
}

export interface ResponseHandlers {
  /** Called with what can't be passed on. */
  readonly onProblem: (problem: string) => void
  /** The server speaks another protocol from now on; a problem when nobody takes it. */
  readonly onUpgrade?: (answer: IncomingMessage, server: Duplex, first: Buffer) => void
}

/** Answers with what a server answered, once it does; what can't be passed on is reported instead. */
export function passResponse(
  asked: ClientRequest,
  response: ServerResponse,
  { onProblem, onUpgrade }: ResponseHandlers,
): void {
  let interim = 0
  asked.on("information", () => {
    interim += 1
    if (interim !== networkLimits.interimAnswers + 1) return
    onProblem("too many interim answers came back")
    asked.destroy()
  })
  asked.on("error", ({ message }) => onProblem(message))
  asked.once("response", (answer) => pass(answer, response, onProblem))
  // Without a listener, Node ends such a connection and tells nobody.
  asked.once("upgrade", (answer, server, first) => {
    if (onUpgrade) return onUpgrade(answer, server, first)
    server.destroy()
    onProblem("what came back changes to another protocol")
  })
}

function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  onProblem: (problem: string) => void,
): void {
  const head = responseHead(answer)
  if (head.kind === "bad" || response.headersSent || response.destroyed) {
    answer.on("error", () => {}).destroy()
    if (head.kind === "bad") onProblem(head.problem)
    return
  }
  response.writeHead(head.status, head.reason, head.headers)
  // What is sent first may have to wait for more: an event stream shows that it is open.
  response.flushHeaders()
  pipeline(answer, response, () => {})
}
