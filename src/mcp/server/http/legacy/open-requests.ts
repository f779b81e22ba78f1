import type {
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { isObject } from "../../../../contract/index.ts"
import { type BadMessage, invalidRequest } from "../../calls/read-message.ts"
import { refuseMessage } from "../access/refuse.ts"

/**
 * Passes requests to the transport, unless their id is already in use. The SDK finds the stream of an answer by the
 * request's id alone: of two requests with one id the first would never be answered, and a cancelled one would keep
 * its stream for ever.
 */
export function openRequests(transport: WebStandardStreamableHTTPServerTransport) {
  /** By id: whether the request came alone, and not in an array. */
  const open = new Map<RequestId, boolean>()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!("method" in message) && message.id !== undefined) open.delete(message.id)
    return send(message, options)
  }

  /** A cancelled request is not answered, so its stream is ended here; in an array, others may need it. */
  async function end(id: RequestId): Promise<void> {
    if (open.get(id)) transport.closeSSEStream(id)
    const error = { code: requestCancelled, message: "The request was cancelled." }
    await transport.send({ jsonrpc: "2.0", id, error })
  }

  return async (request: Request, body: unknown): Promise<Response> => {
    const messages = Array.isArray(body) ? body : [body]
    const ids = messages.filter(isRequest).map(({ id }) => id)
    const taken = ids.find((id, at) => open.has(id) || ids.indexOf(id) !== at)
    if (taken !== undefined) return refuseMessage(inUse(Array.isArray(body) ? null : taken))
    for (const id of ids) open.set(id, messages.length === 1)
    const response = await transport.handleRequest(request, { parsedBody: body })
    if (response.status !== 200) for (const id of ids) open.delete(id)
    for (const id of messages.map(cancelledBy)) {
      // It may be answered already, or unknown.
      if (id !== undefined && open.has(id)) await end(id).catch(() => {})
    }
    return response
  }
}

/** The code of the language server protocol: this one has none for it. */
const requestCancelled = -32_800

function isRequest(message: unknown): message is { readonly id: RequestId } {
  return isObject(message) && "method" in message && "id" in message
}

function cancelledBy(message: unknown): RequestId | undefined {
  if (!isObject(message) || message.method !== "notifications/cancelled") return undefined
  const id = isObject(message.params) ? message.params.requestId : undefined
  return typeof id === "string" || typeof id === "number" ? id : undefined
}

function inUse(id: RequestId | null): BadMessage {
  const problem = "A request with this id is under way. Give each request an id of its own."
  return { kind: "bad", code: invalidRequest, problem, id }
}
