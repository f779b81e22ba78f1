import { noSuchSession, type SessionEvent } from "../../session/index.ts"
import type { RecordReader } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"
import { describeEntry } from "./describe-session.ts"
import { type ApiDeps, openSession, type ServerEvent } from "./handler.ts"

interface Watched {
  readonly session: string
  readonly after: number
  readonly signal: AbortSignal
}

/**
 * The entries of a session after a number, from the record and then as they come: nothing is missing and nothing is
 * there twice. Between them the output of running calls, which is live only: a reader that is slow misses some of it
 * and is told how much.
 */
export async function watchEntries(
  deps: ApiDeps,
  watched: Watched,
): Promise<AsyncIterable<ServerEvent>> {
  const { store } = deps
  const reader = await store.read(watched.session)
  if (!reader) throw await noSuchSession(store, watched.session)
  return followEntries(deps, reader, watched)
}

async function* followEntries(
  deps: ApiDeps,
  reader: RecordReader,
  { session: name, after, signal }: Watched,
): AsyncIterable<ServerEvent> {
  const live = liveOutput(deps, name)
  const ended = new AbortController()
  const followed = reader.follow({ after, signal: AbortSignal.any([signal, ended.signal]) })
  const entries = followed[Symbol.asyncIterator]()
  try {
    let entry = entries.next()
    for (;;) {
      live.attach()
      const first = await Promise.race([entry, live.next()])
      for (const event of live.take()) yield event
      if (first === "output") continue
      if (first.done) return
      yield { event: "entry", id: first.value.sequence, data: describeEntry(first.value) }
      entry = entries.next()
    }
  } finally {
    ended.abort()
    live.stop()
  }
}

/** What running calls print, as long as it waits to be sent. */
function liveOutput(deps: ApiDeps, name: string) {
  let waiting: { call: string; stream: string; text: string }[] = []
  let bytes = 0
  let dropped = 0
  let wake = () => {}
  let stop: (() => void) | undefined
  const decoders = new Map<string, InstanceType<typeof TextDecoder>>()
  const decoderOf = (key: string) => {
    const decoder = decoders.get(key) ?? new TextDecoder()
    decoders.set(key, decoder)
    return decoder
  }
  const hear = (event: SessionEvent) => {
    if (event.kind === "call-ended") {
      for (const stream of ["stdout", "stderr"]) decoders.delete(`${event.callId} ${stream}`)
    }
    if (event.kind !== "call-output") return
    const { callId: call, chunk } = event
    const { stream } = chunk
    const text = decoderOf(`${call} ${stream}`).decode(chunk.bytes, { stream: true })
    waiting.push({ call, stream, text })
    bytes += Buffer.byteLength(text)
    while (bytes > httpLimits.liveOutputBytes && waiting.length > 1) {
      const oldest = waiting.shift()
      const size = Buffer.byteLength(oldest?.text ?? "")
      bytes -= size
      dropped += size
    }
    wake()
  }
  return {
    /** The session may have been opened only after the stream; its first call is recorded before it prints. */
    attach() {
      stop ??= openSession(deps, name)?.listen(hear)
    },
    next: () =>
      new Promise<"output">((resolve) => {
        wake = () => resolve("output")
        if (waiting.length > 0) wake()
      }),
    take(): readonly ServerEvent[] {
      const events = waiting.map((data): ServerEvent => ({ event: "output", data }))
      const lost = dropped > 0 ? [{ event: "output-dropped", data: { bytes: dropped } }] : []
      waiting = []
      bytes = 0
      dropped = 0
      return [...lost, ...events]
    },
    stop: () => stop?.(),
  }
}
