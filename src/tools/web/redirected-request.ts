import type { Headers } from "./request-headers.ts"
import { redirectedAddress } from "./web-address.ts"

/** One request, ready to be sent. */
export interface WebRequest {
  readonly url: URL
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD"
  readonly headers: Headers
  readonly body: string | undefined
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
