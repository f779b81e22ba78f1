import type { Clock } from "../../kit/index.ts"
import type { Session } from "../session.ts"

/**
 * Where tools come from that are not there from the start and may change: they are registered with
 * `session.addTools`, and nothing is started before somebody asks.
 */
export interface ToolSource {
  /**
   * Registers what it has: all of it, or what a tool of this name may be among. Rejects with a
   * ToolFailure when it knows why the named tool can't run; never when it is asked for all.
   */
  prepare(tool?: string, signal?: AbortSignal): Promise<void>
  /** Ends what it started. */
  close(): Promise<void>
}

export interface SourceDeps {
  readonly session: Session
  /** Where Toolkeep keeps what it makes. */
  readonly home: string
  readonly clock: Clock
}

/** Called once for each session. */
export type OpenToolSource = (parts: SourceDeps) => ToolSource
