import type {
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { isObject } from "../../../../contract/index.ts"
import type { McpClient } from "../../calls/mcp-client.ts"
import { type BadMessage, invalidRequest } from "../../calls/read-message.ts"
import { refuse, refuseMessage } from "../access/refuse.ts"
import type { answerStreams } from "./answer-streams.ts"
import { eventId, isRequestId, listening, readEventId } from "./event-ids.ts"

interface Connection {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly streams: ReturnType<typeof answerStreams>
  readonly client: McpClient
  /** The name that the connection has in the record. */
  readonly name: string
}

/**
 * Passes requests to the transport, unless their id is already in use. The SDK finds the stream of an answer by the
 * request's id alone: of two requests with one id the first would never be answered, and a cancelled one would keep
 * its stream for ever. Where answers are stored, a client that comes back is sent them from the record.
 */
export function openRequests({ transport, streams, client, name: connection }: Connection) {
  const { requests } = client
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!("method" in message) && message.id !== undefined) streams.ended(message.id)
    return send(message, options)
  }

  /** A cancelled request is not answered, so its stream is ended here; in an array, others may need it. */
  async function end(id: RequestId): Promise<void> {
    if (streams.isAlone(id)) transport.closeSSEStream(id)
    const error = { code: requestCancelled, message: "The request was cancelled." }
    await transport.send({ jsonrpc: "2.0", id, error })
  }

  async function post(request: Request, body: unknown): Promise<Response> {
    const messages = Array.isArray(body) ? body : [body]
    const ids = messages.filter(isRequest).map(({ id }) => id)
    const taken = ids.find((id, at) => streams.has(id) || ids.indexOf(id) !== at)
    if (taken !== undefined) {
      const again = (await isRepeated(body)) ? await resume(request, eventId([taken])) : null
      // Its connection is there, so it is another request.
      if (again && again.status !== 409) return again
      return refuseMessage(inUse(Array.isArray(body) ? null : taken))
    }
    const response = await streams.run(ids, messages.length === 1, () =>
      transport.handleRequest(request, { parsedBody: body }),
    )
    if (response.status !== 200) for (const id of ids) streams.ended(id)
    for (const id of messages.map(answeredBy)) if (id !== undefined) streams.answered(id)
    for (const id of messages.map(cancelledBy)) {
      // It may be answered already, or unknown.
      if (id !== undefined && streams.has(id)) await end(id).catch(() => {})
    }
    return response
  }

  /** Whether it is the call that runs under this id. */
  async function isRepeated(body: unknown): Promise<boolean> {
    if (!requests || !isRequest(body) || body.method !== "tools/call") return false
    const { name: tool, arguments: input } = isObject(body.params) ? body.params : {}
    const running = client.calls.get((await requests.take({ id: body.id, connection })) ?? "")
    return typeof tool === "string" && (running?.isFor({ tool, input }) ?? false)
  }

  /** Connects a client that comes back to a stream that has not ended. */
  function resume(request: Request, last: string): Promise<Response> {
    const headers = new Headers(request.headers)
    headers.set("last-event-id", last)
    headers.delete("content-type")
    return transport.handleRequest(
      new Request(request.url, { method: "GET", headers, signal: request.signal }),
    )
  }

  /** The request as it was sent, from the record; null where it is not there, such as one for a list. */
  async function recordedRequest(id: RequestId) {
    const call = await requests?.take({ id, connection })
    const recorded = call === undefined ? null : await requests?.read(call)
    if (!recorded) return null
    const { tool, input } = recorded.request
    const params = { name: tool, arguments: input ?? {} }
    return { jsonrpc: "2.0", id, method: "tools/call", params }
  }

  /** What a client that comes back has missed: as if it had sent its requests again. */
  async function comeBack(request: Request, last: string): Promise<Response> {
    const ids = readEventId(last)
    if (!ids) return refuse(400, "There is no event with this id.")
    if (ids.some(streams.has)) return resume(request, last)
    const found = await Promise.all(ids.map(recordedRequest))
    const known = found.filter((one) => one !== null)
    if (known.length === 0) return lostAnswers(ids)
    const headers = new Headers(request.headers)
    headers.delete("last-event-id")
    headers.set("accept", "application/json, text/event-stream")
    headers.set("content-type", "application/json")
    const { url, signal } = request
    const again = new Request(url, { method: "POST", headers, body: "{}", signal })
    return post(again, known.length === 1 ? known[0] : known)
  }

  return (request: Request, body: unknown): Promise<Response> => {
    const last = request.headers.get("last-event-id")
    if (request.method === "POST") return post(request, body)
    const isBack = request.method === "GET" && requests && last !== null && last !== listening
    return isBack ? comeBack(request, last) : transport.handleRequest(request)
  }
}

/** A stream that says that nothing is known of these requests. */
function lostAnswers(ids: readonly RequestId[]): Response {
  const message = "The answer is no longer stored. Send the request again."
  const events = ids.map((id) => {
    const answer = { jsonrpc: "2.0", id, error: { code: answerLost, message } }
    return `event: message\nid: ${eventId([])}\ndata: ${JSON.stringify(answer)}\n\n`
  })
  return new Response(events.join(""), { headers: { "Content-Type": "text/event-stream" } })
}

/** The code of the language server protocol: this one has none for it. */
const requestCancelled = -32_800
const answerLost = -32_000

interface JsonRequest {
  readonly id: RequestId
  readonly method: unknown
  readonly params?: unknown
}

function isRequest(message: unknown): message is JsonRequest {
  return isObject(message) && "method" in message && "id" in message
}

function answeredBy(message: unknown): RequestId | undefined {
  const isAnswer = isObject(message) && !("method" in message) && isRequestId(message.id)
  return isAnswer ? (message.id as RequestId) : undefined
}

function cancelledBy(message: unknown): RequestId | undefined {
  if (!isObject(message) || message.method !== "notifications/cancelled") return undefined
  const id = isObject(message.params) ? message.params.requestId : undefined
  return isRequestId(id) ? id : undefined
}

function inUse(id: RequestId | null): BadMessage {
  const problem = "A request with this id is under way. Give each request an id of its own."
  return { kind: "bad", code: invalidRequest, problem, id }
}
