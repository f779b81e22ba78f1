import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { limits } from "../../contract/index.ts"
import type { Passages } from "./outbound-connections.ts"
import { refusalMessage, refusalOf } from "./refusal.ts"
import { parseTarget, writeHost } from "./target.ts"

/** CONNECT: bytes in both directions, once the target is allowed. */
export async function openTunnel(
  { url = "" }: IncomingMessage,
  client: Duplex,
  { head, passages }: { readonly head: Buffer; readonly passages: Passages },
): Promise<void> {
  const left = new AbortController()
  client.on("error", () => {}).once("close", () => left.abort())
  const target = parseTarget(url, null)
  const passage = target
    ? await passages.open(target, left.signal)
    : passages.refuse(url, "it is no host with a port")
  if (passage.kind !== "open") {
    const name = target ? `${writeHost(target)}:${target.port}` : "this"
    client.end(refusalMessage(refusalOf(passage, name)), () => client.destroy())
    return
  }
  const { socket } = passage
  socket.setTimeout(limits.network.idleMs, () => socket.destroy())
  socket.once("close", () => client.destroy())
  client.once("close", () => socket.destroy())
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
  socket.write(head)
  client.pipe(socket)
  socket.pipe(client)
}
