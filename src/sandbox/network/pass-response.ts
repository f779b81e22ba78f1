import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http"
import { type Duplex, pipeline } from "node:stream"
import { networkLimits } from "../limits.ts"
import { responseHead } from "./message-head.ts"

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
