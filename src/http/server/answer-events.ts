import { ToolFailure } from "../../contract/index.ts"
import { type Clock, errorText, onAbort } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import type { ServerEvent } from "./handler.ts"

/** Counts the event streams of tokens, so that one token can't take all of them. */
export function createStreams() {
  const open = new Map<string, number>()
  let all = 0
  return {
    open(
      token: string,
      answer: () => { readonly response: Response; readonly ended: Promise<void> },
    ) {
      const own = open.get(token) ?? 0
      if (all >= httpLimits.streams || own >= httpLimits.streamsOfToken) {
        const message = "Too many event streams are open. Close one, or try again later."
        throw new ToolFailure({ kind: "unavailable", message })
      }
      open.set(token, own + 1)
      all += 1
      const { response, ended } = answer()
      void ended.finally(() => {
        open.set(token, (open.get(token) ?? 1) - 1)
        all -= 1
      })
      return response
    },
  }
}

interface EventOptions {
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Whether the token may still be used: looked at with each event and each heartbeat. */
  readonly isValid: () => boolean
}

/** Server-sent events, each produced when the reader has taken the one before. */
export function answerEvents(
  events: AsyncIterable<ServerEvent>,
  { signal, clock, isValid }: EventOptions,
): { readonly response: Response; readonly ended: Promise<void> } {
  const iterator = events[Symbol.asyncIterator]()
  const ended = Promise.withResolvers<void>()
  let next: Promise<IteratorResult<ServerEvent>> | null = null
  const end = async () => {
    ended.resolve()
    await iterator.return?.()
  }
  onAbort(signal, () => void end().catch(() => {}))
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= iterator.next()
        const alive = heartbeat(clock)
        try {
          const first = await Promise.race([next, alive.promise])
          if (!isValid() || signal.aborted) return finish(controller)
          if (first === "alive") {
            controller.enqueue(
              encoder.encode(textOf({ event: "heartbeat", data: { at_ms: clock.now() } })),
            )
            return
          }
          next = null
          if (first.done) return finish(controller)
          controller.enqueue(encoder.encode(textOf(first.value)))
        } catch (error) {
          controller.enqueue(
            encoder.encode(textOf({ event: "error", data: { message: errorText(error) } })),
          )
          await finish(controller)
        } finally {
          alive.cancel()
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  const finish = async (controller: ReadableStreamDefaultController) => {
    controller.close()
    await end()
  }
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" }
  return { response: new Response(body, { headers }), ended: ended.promise }
}

function heartbeat(clock: Clock) {
  const { promise, resolve } = Promise.withResolvers<"alive">()
  return { promise, cancel: clock.after(httpLimits.heartbeatMs, () => resolve("alive")) }
}

function textOf({ event, id, data }: ServerEvent): string {
  const number = id === undefined ? "" : `id: ${id}\n`
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`
}
