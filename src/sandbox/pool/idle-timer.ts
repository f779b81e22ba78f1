import type { Connection } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"

/** Calls back when nothing has been done for a while. Never looks at the time of day, which can jump. */
export class IdleTimer {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #onIdle: () => void
  #working = 0
  #cancel = () => {}

  constructor(clock: Clock, milliseconds: number, onIdle: () => void) {
    this.#clock = clock
    this.#milliseconds = milliseconds
    this.#onIdle = onIdle
  }

  begin(): void {
    this.#working += 1
    this.stop()
  }

  end(): void {
    this.#working -= 1
    this.touch()
  }

  touch(): void {
    this.stop()
    if (this.#working > 0) return
    this.#cancel = this.#clock.after(this.#milliseconds, this.#onIdle, "idle")
  }

  stop(): void {
    this.#cancel()
    this.#cancel = () => {}
  }
}

/** The same result, with a listener that is called when something comes through its streams. */
export function watchStreams<Result>(result: Result, touch: () => void): Result {
  if (result instanceof ReadableStream) return result.pipeThrough(touching(touch)) as Result
  if (typeof result !== "object" || result === null || !("writable" in result)) return result
  const connection = result as unknown as Connection
  const outgoing = touching(touch)
  outgoing.readable.pipeTo(connection.writable).catch(() => {})
  return {
    readable: connection.readable.pipeThrough(touching(touch)),
    writable: outgoing.writable,
    close: () => connection.close(),
  } as Result
}

function touching(touch: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      touch()
      controller.enqueue(chunk)
    },
  })
}
