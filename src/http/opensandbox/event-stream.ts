import { httpLimits } from "../limits.ts"

/** One event of a command, as OpenSandbox's execd sends it. */
export type CommandEvent =
  | { readonly type: "init" | "stdout" | "stderr" | "ping"; readonly text: string }
  | { readonly type: "execution_complete"; readonly execution_time: number }
  | {
      readonly type: "error"
      readonly error: {
        readonly ename: string
        /** An exit code, where there is one. */
        readonly evalue: string
        readonly traceback: readonly string[]
      }
    }

export interface EventStream {
  readonly response: Response
  /** Resolves when the client has room for more. */
  send(events: readonly CommandEvent[]): Promise<void>
  close(): void
}

const encoder = new TextEncoder()

/** Server-sent events whose sender waits for a slow reader. */
export function openEventStream(now: () => number): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let hasRoom = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull: () => hasRoom.resolve(),
      cancel() {
        controller = null
        hasRoom.resolve()
      },
    },
    { highWaterMark: httpLimits.apiEventBytes, size: (piece) => piece?.length ?? 0 },
  )
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" }
  return {
    response: new Response(body, { headers }),
    async send(events) {
      if (!controller || events.length === 0) return
      const timestamp = now()
      const lines = events.map((event) => `data: ${JSON.stringify({ ...event, timestamp })}\n\n`)
      controller.enqueue(encoder.encode(lines.join("")))
      if ((controller.desiredSize ?? 0) > 0) return
      hasRoom = Promise.withResolvers()
      await hasRoom.promise
    },
    close() {
      controller?.close()
      controller = null
    },
  }
}
