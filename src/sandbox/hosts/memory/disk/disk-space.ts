import { DiskError } from "./disk-error.ts"

/** Counts what a disk holds and refuses what does not fit. */
export class DiskSpace {
  readonly #limit: number
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** A negative amount gives space back. */
  take(bytes: number): void {
    if (bytes > 0 && this.#used + bytes > this.#limit) throw new DiskError("ENOSPC")
    this.#used += bytes
  }
}
