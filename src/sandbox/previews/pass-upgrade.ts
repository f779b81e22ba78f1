import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type Duplex, pipeline } from "node:stream"
import { headBytes, webSocketHead } from "../network/message-head.ts"
import { passAnswer } from "../network/pass-response.ts"
import type { EarlyBytes } from "./early-bytes.ts"
import { askInside, sayFailed } from "./pass-request.ts"

/** What a WebSocket is opened with, on the browser's side. */
export interface Upgrade {
  readonly client: Duplex
  readonly early: EarlyBytes
  /** For an answer that is no WebSocket. */
  readonly response: ServerResponse
}

/** Once the server inside agrees, bytes pass in both directions as they are. */
export function passUpgrade(message: IncomingMessage, upgrade: Upgrade, inside: Duplex): void {
  const { client, early, response } = upgrade
  const asked = askInside(message, inside, { Connection: "Upgrade", Upgrade: "websocket" })
  const onProblem = sayFailed(response)
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
  passAnswer(asked, response, { onProblem, onUpgrade })
  client.once("close", () => inside.destroy())
  asked.end()
}
