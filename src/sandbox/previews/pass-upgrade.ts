import type { IncomingMessage, ServerResponse } from "node:http"
import { type Duplex, pipeline } from "node:stream"
import { askInside, passAnswer, sayFailed } from "./pass-request.ts"

/** What a WebSocket is opened with, on the browser's side. */
export interface Upgrade {
  readonly client: Duplex
  /** What the browser has sent already behind its request. */
  readonly head: Buffer
  /** For an answer that is no WebSocket. */
  readonly response: ServerResponse
}

/** Once the server inside agrees, bytes pass in both directions as they are. */
export function passUpgrade(message: IncomingMessage, upgrade: Upgrade, inside: Duplex): void {
  const { client, head, response } = upgrade
  const asked = askInside(message, inside, { Connection: "Upgrade", Upgrade: "websocket" })
  asked.on("error", (error) => sayFailed(response, error))
  asked.once("response", (answer) => passAnswer(answer, response))
  asked.once("upgrade", (answer, server: Duplex, first: Buffer) => {
    response.detachSocket(client as never)
    client.write(agreement(answer))
    if (first.length > 0) client.write(first)
    if (head.length > 0) server.write(head)
    pipeline(client, server, () => client.destroy())
    pipeline(server, client, () => server.destroy())
  })
  client.once("close", () => inside.destroy())
  asked.end()
}

/** Its headers as they came: the parser has taken out everything that could end a line. */
function agreement({ statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${statusMessage}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  return `${lines.join("\r\n")}\r\n\r\n`
}
