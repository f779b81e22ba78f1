import type { IncomingMessage } from "node:http"

const scheme = "http://"

/**
 * Any page in a person's browser can send requests to this machine. Following a link is allowed to all;
 * everything else only to pages of the same sandbox, whose hosts `isFriend` knows. A program that is no
 * browser sends none of these headers. Null when the request is fine.
 */
export function strangerProblem(
  { headers, method }: IncomingMessage,
  isFriend: (host: string) => boolean,
): string | null {
  const { origin, "sec-fetch-site": site, "sec-fetch-mode": mode } = headers
  if (origin?.startsWith(scheme) && isFriend(origin.slice(scheme.length))) return null
  if (site === "same-origin" || site === "none") return null
  if (site === undefined && origin === undefined) return null
  const isLink = mode === "navigate" && (method === "GET" || method === "HEAD")
  if (isLink && headers.upgrade === undefined) return null
  return "This preview answers only its own pages, and another site asked."
}
