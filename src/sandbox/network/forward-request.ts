import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { networkLimits } from "../limits.ts"
import { headerValues, isPlainlyEncoded } from "./message-head.ts"
import type { FailedConnection, OutboundConnections } from "./outbound-connections.ts"
import { passBody, passResponse, repeatRequest } from "./pass-response.ts"
import { refusalMessage, refusalOf, sendText } from "./refusal.ts"
import { parseTarget, type Target, writeHost } from "./target.ts"

/** "http://host:port/path?query", as clients ask a proxy. */
const absolute = /^http:\/\/([^/?#]*)([^#]*)/i

const defaultPort = 80

/** An HTTP request in absolute form: parsed once and written again for the target alone. */
export async function forwardRequest(
  message: IncomingMessage,
  response: ServerResponse,
  outbound: OutboundConnections,
): Promise<void> {
  const left = new AbortController()
  response.on("error", () => {}).once("close", () => left.abort())
  const { url = "" } = message
  const [, authority = "", rest = ""] = absolute.exec(url) ?? []
  const target = parseTarget(authority, defaultPort)
  const problem = target ? problemWith(message, target) : "it is not an http:// URL of a host"
  if (!target || problem !== null) {
    const connection = outbound.refuse(authority || url, problem ?? "")
    return answer(response, connection, "this request")
  }
  const connection = await outbound.open(target, left.signal)
  if (connection.kind !== "open") {
    return answer(response, connection, `${writeHost(target)}:${target.port}`)
  }
  const path = rest.startsWith("/") ? rest : `/${rest}`
  exchange(message, response, { target, path, socket: connection.socket })
}

/** What two readers could understand in two ways is refused. */
function problemWith(message: IncomingMessage, target: Target): string | null {
  const [named, ...more] = headerValues(message, "host")
  const host = named === undefined ? null : parseTarget(named, defaultPort)
  if (more.length > 0 || host?.host !== target.host || host.port !== target.port) {
    return "its Host header differs from its URL"
  }
  return isPlainlyEncoded(message) ? null : "only the transfer encoding chunked is passed on"
}

interface Onward {
  readonly target: Target
  readonly path: string
  readonly socket: Socket
}

function exchange(message: IncomingMessage, response: ServerResponse, onward: Onward): void {
  const { target, path, socket } = onward
  const host = writeHost(target)
  socket.setTimeout(networkLimits.idleMs, () => socket.destroy())
  const asked = repeatRequest(message, {
    connection: socket,
    path,
    headerBytes: networkLimits.headerBytes,
    headers: { Host: target.port === defaultPort ? host : `${host}:${target.port}` },
  })
  const onProblem = (reason: string) => answer(response, { kind: "failed", reason }, host)
  passResponse(asked, response, { onProblem })
  response.once("close", () => socket.destroy())
  passBody(message, asked)
}

function answer(response: ServerResponse, connection: FailedConnection, target: string): void {
  const { status, sentence } = refusalOf(connection, target)
  // Without "nosniff", which would make a browser hide the refusal of an image from its log.
  sendText(response, status, sentence, {})
}

/** CONNECT: bytes in both directions, once the target is allowed. */
export async function openTunnel(
  { url = "" }: IncomingMessage,
  client: Duplex,
  { head, outbound }: { readonly head: Buffer; readonly outbound: OutboundConnections },
): Promise<void> {
  const left = new AbortController()
  client.on("error", () => {}).once("close", () => left.abort())
  const target = parseTarget(url, null)
  const connection = target
    ? await outbound.open(target, left.signal)
    : outbound.refuse(url, "it is not a host with a port")
  if (connection.kind !== "open") {
    const name = target ? `${writeHost(target)}:${target.port}` : "this"
    client.end(refusalMessage(refusalOf(connection, name)), () => client.destroy())
    return
  }
  const { socket } = connection
  socket.setTimeout(networkLimits.idleMs, () => socket.destroy())
  socket.once("close", () => client.destroy())
  client.once("close", () => socket.destroy())
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
  socket.write(head)
  client.pipe(socket)
  socket.pipe(client)
}
