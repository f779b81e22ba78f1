import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type Duplex, pipeline } from "node:stream"
import { previewLimits } from "../limits.ts"
import { headBytes, webSocketHead } from "../network/message-head.ts"
import { passBody, passResponse, repeatRequest } from "../network/pass-response.ts"
import { sendText } from "../network/refusal.ts"

/** Asks the server inside over `inside` what was asked here, and answers with what it answers. */
export function passRequest(
  message: IncomingMessage,
  response: ServerResponse,
  inside: Duplex,
): void {
  const asked = requestInside(message, inside)
  passResponse(asked, response, { onProblem: reportFailure(response) })
  response.once("close", () => inside.destroy())
  passBody(message, asked)
}

/** Its Host header stays the browser's. */
function requestInside(
  message: IncomingMessage,
  connection: Duplex,
  more: Readonly<Record<string, string>> = {},
) {
  const headers = { Host: message.headers.host, ...more }
  const { headerBytes } = previewLimits
  return repeatRequest(message, { connection, path: message.url, headerBytes, headers })
}

/** Tells a browser why the server inside has no answer for it. */
function reportFailure(response: ServerResponse): (reason: string) => void {
  return (reason) =>
    sendText(response, 502, `The server inside did not answer: ${reason.slice(0, 200)}.`)
}

/** What a WebSocket is opened with, on the browser's side. */
interface Upgrade {
  readonly client: Duplex
  readonly early: EarlyBytes
  /** For an answer that is no WebSocket. */
  readonly response: ServerResponse
}

/** Once the server inside agrees, bytes pass in both directions as they are. */
export function passUpgrade(message: IncomingMessage, upgrade: Upgrade, inside: Duplex): void {
  const { client, early, response } = upgrade
  const asked = requestInside(message, inside, { Connection: "Upgrade", Upgrade: "websocket" })
  const onProblem = reportFailure(response)
  const onUpgrade = (answer: IncomingMessage, server: Duplex, first: Buffer) => {
    const agreed = webSocketHead(answer)
    if (agreed.kind === "bad" || response.headersSent || client.destroyed) {
      server.destroy()
      if (agreed.kind === "bad") onProblem(agreed.problem)
      return
    }
    const socket = client as Socket
    response.detachSocket(socket)
    // A WebSocket may be silent for as long as both sides like.
    socket.setTimeout(0)
    client.write(headBytes(agreed))
    if (first.length > 0) client.write(first)
    const sent = early.take()
    if (sent.length > 0) server.write(sent)
    pipeline(client, server, () => client.destroy())
    pipeline(server, client, () => server.destroy())
  }
  passResponse(asked, response, { onProblem, onUpgrade })
  client.once("close", () => inside.destroy())
  asked.end()
}

/** What a browser sends before it is agreed what these bytes are. */
interface EarlyBytes {
  /** All of them; from now on the stream is the caller's. */
  take(): Buffer
}

/** Read at once, because only a reader notices that the other side has left. */
export function readEarly(client: Duplex, head: Buffer): EarlyBytes {
  const pieces = [head]
  let size = head.length
  const leave = () => client.destroy()
  const collect = (bytes: Buffer) => {
    pieces.push(bytes)
    size += bytes.length
    if (size > previewLimits.headerBytes) leave()
  }
  client.on("data", collect).on("end", leave)
  return {
    take() {
      client.pause().off("data", collect).off("end", leave)
      return Buffer.concat(pieces)
    },
  }
}
