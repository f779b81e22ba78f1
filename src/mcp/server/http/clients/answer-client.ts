import { isObject } from "../../../../contract/index.ts"
import { refuse } from "../access/refuse.ts"
import type { Exchange } from "./exchange.ts"
import type { ServedClient } from "./served-clients.ts"

/** One request of a client, answered within what it may send and leave unread. */
export async function answerClient(
  served: ServedClient,
  { exchange, body }: { readonly exchange: Exchange; readonly body: unknown },
  answer: () => Promise<Response>,
): Promise<Response> {
  if (!served.hasRoom()) return tooFast()
  served.use()
  const kind = kindOf(exchange, body)
  // What only tells something has no answer that could wait, and may be what makes room.
  if (kind === "telling") return answer()
  if (!served.answers.hasRoom()) return tooMuchUnread()
  served.answers.expect(exchange, kind)
  return served.answers.bound(exchange, await answer())
}

function kindOf({ request }: Exchange, body: unknown): "call" | "listening" | "telling" {
  if (request.method === "GET") return "listening"
  if (!wantsAnswer(body)) return "telling"
  return isObject(body) && body.method === "subscriptions/listen" ? "listening" : "call"
}

/** Whether it is a request, or an array in which there may be some. */
export function wantsAnswer(body: unknown): boolean {
  return Array.isArray(body) || (isObject(body) && "method" in body && "id" in body)
}

function tooFast(): Response {
  return refuse(429, "Too many requests in a short time. Slow down.", { "Retry-After": "1" })
}

function tooMuchUnread(): Response {
  const message =
    "Too many answers to this client are under way or unread. Read them, or wait until calls have ended."
  return refuse(429, message, { "Retry-After": "1" })
}
