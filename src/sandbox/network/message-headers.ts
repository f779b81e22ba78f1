import type { IncomingMessage } from "node:http"

/** What concerns only the two ends of one connection, and is not passed on. */
const hopByHop = [
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
]

/** Every value of a header, in the order of the message; `name` in small letters. */
export function headerValues(message: IncomingMessage, name: string): readonly string[] {
  return allHeaders(message).get(name) ?? []
}

/** Those that are passed on, with every value that a name has. */
export function endToEndHeaders(message: IncomingMessage): Record<string, string[]> {
  const headers = allHeaders(message)
  const named = (headers.get("connection") ?? []).flatMap((value) => value.split(","))
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim().toLowerCase())])
  // Who asks for it to be dropped would change where the message ends.
  dropped.delete("content-length")
  return Object.fromEntries([...headers].filter(([name]) => !dropped.has(name)))
}

/** From the message as it came: Node's own objects of headers know names such as "constructor" already. */
function allHeaders({ rawHeaders }: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2)
    const small = name.toLowerCase()
    const values = headers.get(small)
    if (values) values.push(value)
    else headers.set(small, [value])
  }
  return headers
}
