import { ToolFailure } from "../../contract/index.ts"
import { type Clock, errorText, onAbort } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import { encodeEvents, type Sent } from "./server-event.ts"

export type OpenStreams = ReturnType<typeof createStreams>

/** Counts the event streams of tokens, so that one token can't take all of them. */
export function createStreams() {
  const open = new Map<string, number>()
  let all = 0
  return {
    count: () => all,
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
  /** Aborts when the server begins to stop, which the reader is told once. */
  readonly stopping: AbortSignal
}

/**
 * Server-sent events, each produced when the reader has taken the one before. A reader that takes nothing for a long
 * time loses its connection.
 */
export function answerEvents(
  events: AsyncIterable<Sent>,
  { signal, clock, isValid, stopping }: EventOptions,
): { readonly response: Response; readonly ended: Promise<void> } {
  const iterator = events[Symbol.asyncIterator]()
  const ended = Promise.withResolvers<void>()
  let next: Promise<IteratorResult<Sent>> | null = null
  let isTold = false
  let tell = () => {}
  const stopListening = onAbort(stopping, () => tell())
  let cancelStall = () => {}
  const end = async () => {
    cancelStall()
    stopListening()
    ended.resolve()
    await iterator.return?.()
  }
  onAbort(signal, () => void end().catch(() => {}))
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        cancelStall()
        const send = (sent: Sent) => {
          controller.enqueue(sent instanceof Uint8Array ? sent : encodeEvents([sent]))
          cancelStall = clock.after(httpLimits.streamStallMs, () => {
            controller.error(new Error("The reader takes nothing."))
            void end().catch(() => {})
          })
        }
        next ??= iterator.next()
        const alive = heartbeat(clock)
        tell = alive.stopping
        if (stopping.aborted && !isTold) tell()
        try {
          const first = await Promise.race([next, alive.promise])
          if (!isValid() || signal.aborted) return finish(controller)
          if (first === "stopping") {
            isTold = true
            return send({ event: "stopping", data: { at_ms: clock.now() } })
          }
          if (first === "alive") return send({ event: "heartbeat", data: { at_ms: clock.now() } })
          next = null
          if (first.done) return finish(controller)
          send(first.value)
        } catch (error) {
          send({ event: "error", data: { message: errorText(error) } })
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
  const { promise, resolve } = Promise.withResolvers<"alive" | "stopping">()
  const cancel = clock.after(httpLimits.heartbeatMs, () => resolve("alive"))
  return { promise, cancel, stopping: () => resolve("stopping") }
}
