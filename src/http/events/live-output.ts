import type { Clock } from "../../kit/index.ts"
import type { Session, SessionEvent } from "../../session/index.ts"
import { httpLimits } from "../limits.ts"
import { encodeEvents, type ServerEvent } from "./server-event.ts"

export interface LiveOutputOptions {
  /** The session where it is open. */
  readonly session: () => Session | undefined
  readonly clock: Clock
  readonly publish: (output: PublishedOutput) => void
}

export interface PublishedOutput {
  /** Events, as they are sent. */
  readonly bytes: Uint8Array
  /** How much of what was printed is in them. */
  readonly printed: number
}

export interface LiveOutput {
  /** Listens to the session, which may have been opened only after its streams. */
  attach(): void
  /** Publishes what waits. */
  flush(): void
  stop(): void
}

/**
 * What the running calls of a session print, gathered for a moment and then published once for all streams: of much
 * output its end, with how much was left out. A call does not wait for its readers (bench: page-output).
 */
export function createLiveOutput({ session, clock, publish }: LiveOutputOptions): LiveOutput {
  const prints = new Map<string, Print>()
  let listened: Session | undefined
  let stopListening = () => {}
  let cancelFlush: (() => void) | null = null
  let nextAt = 0

  const flush = () => {
    cancelFlush?.()
    cancelFlush = null
    const printed = [...prints.values()].reduce((sum, print) => sum + print.printed, 0)
    const events = [...prints.values()].flatMap((print) => print.take())
    for (const [key, { isOver }] of prints) if (isOver) prints.delete(key)
    if (events.length === 0) return
    const isFlood = events.some(({ event }) => event === "output-dropped")
    nextAt = clock.now() + (isFlood ? httpLimits.liveFloodMs : httpLimits.liveOutputMs)
    publish({ bytes: encodeEvents(events), printed })
  }
  const hear = (event: SessionEvent) => {
    if (event.kind === "call-ended") {
      for (const print of prints.values()) if (print.call === event.callId) print.isOver = true
    }
    if (event.kind !== "call-output") return
    const { callId: call, chunk, printed } = event
    const key = `${call} ${chunk.stream}`
    const print = prints.get(key) ?? new Print(call, chunk.stream)
    prints.set(key, print)
    print.add(chunk.bytes, printed)
    // The machine's clock may be set back.
    const inMs = Math.min(httpLimits.liveFloodMs, Math.max(0, nextAt - clock.now()))
    cancelFlush ??= clock.after(inMs, flush)
  }
  return {
    attach() {
      const open = session()
      if (open === listened) return
      stopListening()
      listened = open
      stopListening = open?.listen(hear) ?? (() => {})
    },
    flush,
    stop() {
      cancelFlush?.()
      stopListening()
    },
  }
}

/** What one stream of one call has printed since it was taken: of much the end, in whole characters. */
class Print {
  readonly call: string
  /** Whether its call has ended: then it is taken once more. */
  isOver = false
  readonly #stream: string
  // Twice the limit, so that the end moves to the front only once in as many bytes.
  readonly #held = new Uint8Array(2 * httpLimits.liveOutputBytes)
  #length = 0
  #printed = 0
  /** What the whole call has printed. */
  #until = 0

  constructor(call: string, stream: string) {
    this.call = call
    this.#stream = stream
  }

  get printed(): number {
    return this.#printed
  }

  /** Copies what it holds: the chunk may be used again. */
  add(chunk: Uint8Array, until: number): void {
    this.#until = until
    const most = httpLimits.liveOutputBytes
    const end = chunk.subarray(Math.max(0, chunk.length - most))
    if (this.#length + end.length > this.#held.length) this.#holdLast(most - end.length)
    this.#held.set(end, this.#length)
    this.#length += end.length
    this.#printed += chunk.length
  }

  take(): readonly ServerEvent[] {
    let from = Math.max(0, this.#length - httpLimits.liveOutputBytes)
    const isCut = this.#printed > this.#length - from
    while (isCut && from < this.#length && isContinuation(this.#held[from])) from += 1
    const rest = unfinished(this.#held.subarray(from, this.#length))
    const bytes = this.#held.subarray(from, this.#length - rest)
    const dropped = this.#printed - bytes.length - rest
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    const of = { call: this.call, stream: this.#stream }
    this.#holdLast(rest)
    this.#printed = rest
    return [
      ...(dropped > 0 ? [{ event: "output-dropped", data: { ...of, bytes: dropped } }] : []),
      ...(text === ""
        ? []
        : [{ event: "output", data: { ...of, text, until: this.#until - rest } }]),
    ]
  }

  #holdLast(count: number): void {
    const held = Math.min(count, this.#length)
    this.#held.copyWithin(0, this.#length - held, this.#length)
    this.#length = held
  }
}

/** Whether a byte of UTF-8 is not the first of its character. */
function isContinuation(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

/** How many bytes at the end begin a character that is not whole yet. */
function unfinished(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] ?? 0
    if (isContinuation(byte)) continue
    const whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return whole > count ? count : 0
  }
  return 0
}
