import type { McpLimits } from "../../calls/mcp-limits.ts"
import { passOn } from "./count-unread.ts"
import type { Exchange } from "./exchange.ts"

/** The answers to one client that are on their way. */
export interface OpenAnswers {
  /** Whether any is. */
  readonly areThere: () => boolean
  readonly hasRoom: () => boolean
  /** From now on the answer to this request counts, until its connection has it or is gone. */
  readonly expect: (exchange: Exchange, kind: "call" | "listening") => void
  /** A client that leaves too much unread loses the connection of the answer that grows. */
  readonly bound: (exchange: Exchange, response: Response) => Response
  /** Resolves when all are sent, but for those that go on as long as somebody listens. */
  readonly sent: () => Promise<void>
}

export function openAnswers(limits: McpLimits, onEnd: () => void): OpenAnswers {
  const calls = new Set<Promise<void>>()
  let open = 0
  let unread = 0

  return {
    areThere: () => open > 0,
    hasRoom: () => open < limits.requests && unread <= limits.unreadBytes,
    expect(exchange, kind) {
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
    bound(exchange, response) {
      const { body, status, headers } = response
      if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return response
      const passed = passOn(body, (bytes) => {
        // One message of any size may wait, and only signs of life after it.
        if (bytes > limits.unreadPieceBytes && unread > limits.unreadBytes) exchange.cut()
        unread += bytes
      })
      return new Response(passed, { status, headers })
    },
    sent: async () => {
      await Promise.all(calls)
    },
  }
}
