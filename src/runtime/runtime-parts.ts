import type { Clock, KeyedLock } from "../kit/index.ts"
import type { Approver } from "./approval.ts"
import type { CallListener } from "./events.ts"
import type { ToolRegistry } from "./registry.ts"

/** What all calls of one runtime share. */
export interface RuntimeParts {
  readonly registry: ToolRegistry
  readonly approve: Approver | undefined
  readonly clock: Clock
  readonly locks: KeyedLock
  readonly listeners: ReadonlySet<CallListener>
}
