import { type FailureKind, limits, ToolFailure } from "../../contract/index.ts"
import { invalidArgument } from "../arguments.ts"
import { webLimits } from "../limits.ts"

/** One request, ready to be sent. */
export interface WebRequest {
  readonly url: URL
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD"
  readonly headers: Headers
  readonly body: string | undefined
}

export type Headers = Readonly<Record<string, string>>

const expected = 'an http:// or https:// address, such as "https://example.com/docs"'

/** The address that a caller gave. */
export function requireAddress(text: string): URL {
  const url = URL.parse(text)
  const problem = url === null ? "is not an address" : addressFault(url)
  if (url === null || problem !== null) {
    throw invalidArgument("url", `The url ${problem}.`, expected)
  }
  return url
}

function addressFault(url: URL): string | null {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `has the scheme "${url.protocol.slice(0, limits.quotedCharacters)}", and only http: and https: are fetched`
  }
  if (url.username !== "" || url.password !== "") {
    return "contains a user name or a password; send them in an Authorization header"
  }
  if (url.href.length > webLimits.urlCharacters) {
    return `is longer than ${webLimits.urlCharacters} characters`
  }
  return null
}

/** What the connection itself says: two voices about it are how requests are smuggled. */
const ownHeaders = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "expect",
  "te",
  "trailer",
  "upgrade",
])

const unprintable = /[^\t\u0020-\u007e\u0080-\u00ff]/

/** The caller's headers with small names, over those that every request has. */
export function requestHeaders(given: Headers, defaults: Headers): Headers {
  const headers: Record<string, string> = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    const small = name.toLowerCase()
    if (ownHeaders.has(small) || small.startsWith("proxy-")) {
      throw malformed(name, "is set by web.fetch itself; leave it out")
    }
    if (unprintable.test(value)) {
      throw malformed(name, "has a line break or another character that no header may have")
    }
    headers[small] = value.trim()
  }
  const size = Object.entries(headers).reduce((sum, pair) => sum + pair.join(": \r\n").length, 0)
  if (size > webLimits.headerBytes) {
    throw invalidArgument(
      "headers",
      `The headers have ${size} bytes together.`,
      `at most ${webLimits.headerBytes} bytes`,
    )
  }
  return headers
}

function malformed(name: string, problem: string): ToolFailure {
  return invalidArgument(
    "headers",
    `The header ${name.slice(0, limits.quotedCharacters)} ${problem}.`,
    'names and values on one line, such as {"Accept-Language": "de"}',
  )
}

const redirects = new Set([301, 302, 303, 307, 308])
/** Meant for the place that the caller named, and for no other. */
const secrets = new Set(["authorization", "cookie"])
const aboutBody = /^content-/

/** What an answer asks to be sent instead, by the rules of fetch; null when it asks for nothing. */
export function redirectedRequest(
  request: WebRequest,
  status: number,
  location: string | undefined,
): WebRequest | null {
  if (!redirects.has(status) || location === undefined) return null
  const url = redirectedAddress(location, request.url)
  const { method } = request
  const losesBody =
    ((status === 301 || status === 302) && method === "POST") ||
    (status === 303 && method !== "GET" && method !== "HEAD")
  const isElsewhere = url.origin !== request.url.origin
  const headers = Object.entries(request.headers).filter(
    ([name]) => !(isElsewhere && secrets.has(name)) && !(losesBody && aboutBody.test(name)),
  )
  return {
    url,
    method: losesBody ? "GET" : method,
    headers: Object.fromEntries(headers),
    body: losesBody ? undefined : request.body,
  }
}

/** Where a redirect leads to: chosen by another machine, so a problem with it is not the input's fault. */
function redirectedAddress(location: string, from: URL): URL {
  const url = URL.parse(location, from.href)
  if (url === null) throw refused(from, "execution_error", "something that is not an address")
  const problem = addressFault(url)
  if (problem !== null) throw refused(from, "rejected", `an address that ${problem}`)
  if (url.hash === "") url.hash = from.hash
  return url
}

function refused(from: URL, kind: FailureKind, what: string): ToolFailure {
  return new ToolFailure({ kind, message: `${from.origin} redirects to ${what}.` })
}
