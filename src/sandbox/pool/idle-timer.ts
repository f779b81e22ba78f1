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
