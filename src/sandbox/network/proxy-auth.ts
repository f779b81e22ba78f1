import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** What a program has to know to use a proxy. */
export interface ProxyCredentials {
  readonly username: string
  readonly password: string
}

export const askingForCredentials = {
  "Proxy-Authenticate": 'Basic realm="toolkeep"',
  "Content-Length": "0",
  // Whoever does not know them has no business with this connection.
  Connection: "close",
} as const

export const credentialsMessage = [
  "HTTP/1.1 407 Proxy Authentication Required",
  ...Object.entries(askingForCredentials).map((pair) => pair.join(": ")),
  "\r\n",
].join("\r\n")

/** Whether a request carries the credentials; all do where there are none. */
export function recognise(credentials?: ProxyCredentials): (message: IncomingMessage) => boolean {
  if (!credentials) return () => true
  const { username, password } = credentials
  const expected = Buffer.from(
    `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    "latin1",
  )
  return ({ headers }) => {
    const given = Buffer.from(headers["proxy-authorization"] ?? "", "latin1")
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
