import type { Clock } from "../../kit/index.ts"
import type { Host } from "./host.ts"

export interface WarmOptions {
  /** How many default sandboxes are ready when nothing runs. */
  readonly sandboxes: number
  readonly clock: Clock
  /** Whether a call runs, which no other work may delay. */
  readonly isBusy: () => boolean
  /** Bytes that programs could still take; this machine's own unless a test says otherwise. */
  readonly availableMemory?: (() => number) | undefined
}

export interface WarmHost extends Host {
  reserveKept: NonNullable<Host["reserveKept"]>
  /** How many sandboxes are ready. */
  ready(): number
  /** Removes those that nobody has asked for. */
  close(): Promise<void>
}
