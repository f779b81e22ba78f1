import type { IncomingMessage } from "node:http"

/** What concerns only the two ends of one connection, and is not passed on. */
const hopByHop = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** Those that are passed on, with every value that a name has. */
export function endToEndHeaders(message: IncomingMessage): Record<string, string[]> {
  const named = (message.headers.connection ?? "").split(",").map((name) => name.trim())
  const dropped = new Set([...hopByHop, ...named.map((name) => name.toLowerCase())])
  // Who asks for it to be dropped would change where the message ends.
  dropped.delete("content-length")
  return Object.fromEntries(
    Object.entries(message.headersDistinct).flatMap(([name, values]) =>
      values === undefined || dropped.has(name) ? [] : [[name, values]],
    ),
  )
}
