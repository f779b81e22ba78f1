import { isObject } from "../../../../contract/index.ts"
import type { RecordReader } from "../../../../store/index.ts"
import type { McpLimits } from "../../calls/mcp-client.ts"
import { refuse } from "../access/refuse.ts"
import type { ServedClient } from "./served-clients.ts"

/** One request over HTTP and its answer, as far as their connection is concerned. */
export interface Exchange {
  readonly request: Request
  /** Calls back when the answer has been handed to the system, or the connection is gone. */
  readonly onEnd: (callback: () => void) => void
  /** Counts the connection as this token's; false when that token has as many as it may. */
  readonly claim: (token: string) => boolean
  /** Ends the connection. */
  readonly cut: () => void
}

/** Whose request it is. */
export interface Requester {
  readonly token: string
  /** The client that the address names, or else the one of this name; null when there are too many. */
  readonly open: (name: string, label: string) => Promise<ServedClient | null>
  /** Reads what was recorded of that client; null when nothing was. */
  readonly recorded: (name: string) => Promise<RecordReader | null>
  /** The client has ended its session. */
  readonly close: (served: ServedClient) => void
}

/** Answers one request of a client within what it may send and leave unread. */
export async function answerClient(
  served: ServedClient,
  { exchange, body }: { readonly exchange: Exchange; readonly body: unknown },
  answer: () => Promise<Response>,
): Promise<Response> {
  if (!served.hasRoom()) return tooMany("Too many requests in a short time. Slow down.")
  served.use()
  const kind = kindOf(exchange, body)
  // A notification has no answer that could wait, and may be what makes room.
  if (kind === "notification") return answer()
  if (!served.answers.hasRoom()) {
    return tooMany(
      "Too many answers to this client are under way or unread. Read them, or wait until calls have ended.",
    )
  }
  served.answers.expect(exchange, kind)
  return served.answers.bound(exchange, await answer())
}

/** The answer when a client can't be opened. */
export function tooManyClients(): Response {
  const message =
    "This token has reached its limit of clients. Close one that is not needed, or try again later."
  return refuse(503, message, { "Retry-After": "60" })
}

function tooMany(message: string): Response {
  return refuse(429, message, { "Retry-After": "1" })
}

function kindOf({ request }: Exchange, body: unknown): "call" | "listening" | "notification" {
  if (request.method === "GET") return "listening"
  if (!wantsAnswer(body)) return "notification"
  return isObject(body) && body.method === "subscriptions/listen" ? "listening" : "call"
}

/** Whether it is a request, or an array in which there may be some. */
export function wantsAnswer(body: unknown): boolean {
  return Array.isArray(body) || (isObject(body) && "method" in body && "id" in body)
}

/** The unfinished answers to one client. */
export function openAnswers(limits: McpLimits, onEnd: () => void) {
  const calls = new Set<Promise<void>>()
  let open = 0
  let unread = 0

  return {
    areThere: () => open > 0,
    hasRoom: () => open < limits.requests && unread <= limits.unreadBytes,
    /** Counts the answer to this request until its connection has it or is gone. */
    expect(exchange: Exchange, kind: "call" | "listening"): void {
      const ended = Promise.withResolvers<void>()
      open += 1
      if (kind === "call") calls.add(ended.promise)
      exchange.onEnd(() => {
        open -= 1
        calls.delete(ended.promise)
        ended.resolve()
        onEnd()
      })
    },
    /** A client that leaves too much unread loses the connection of the answer that grows. */
    bound(exchange: Exchange, response: Response): Response {
      const { body, status, headers } = response
      if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return response
      const counted = countUnread(body, (bytes) => {
        // One message of any size may wait, and after it only signs of life.
        if (bytes > limits.unreadPieceBytes && unread > limits.unreadBytes) exchange.cut()
        unread += bytes
      })
      return new Response(counted, { status, headers })
    },
    /** Resolves when the answers to calls are sent. */
    sent: async () => {
      await Promise.all(calls)
    },
  }
}

/**
 * Passes a stream on and reports each change of how many bytes nobody has read yet. Writers of these streams never
 * wait, so this is how a reader that has stopped is found.
 */
function countUnread(
  body: ReadableStream<Uint8Array>,
  changed: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let state: "open" | "ended" | "cancelled" = "open"
  let wake = () => {}
  /** The size of the piece handed over last, which is read when the next one is asked for. */
  let handedOver = 0
  const finishPiece = () => {
    changed(-handedOver)
    handedOver = 0
  }

  async function take(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (state === "cancelled") return
      if (done) break
      pieces.push(value)
      changed(value.length)
      wake()
    }
    state = "ended"
    wake()
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        take().catch((error) => controller.error(error))
      },
      async pull(controller) {
        finishPiece()
        if (pieces.length === 0 && state === "open") {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        if (state === "cancelled") return
        const piece = pieces.shift()
        if (!piece) return controller.close()
        handedOver = piece.length
        controller.enqueue(piece)
      },
      async cancel(reason) {
        state = "cancelled"
        wake()
        finishPiece()
        for (const { length } of pieces.splice(0)) changed(-length)
        await reader.cancel(reason)
      },
    },
    // Nothing is handed over before it is asked for.
    { highWaterMark: 0 },
  )
}
