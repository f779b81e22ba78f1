import type { CallLimits, CallSession, Envelope, FailureDetails, Tool } from "../contract/index.ts"
import type { Clock, KeyedLock } from "../kit/index.ts"
import type { Grants } from "../policy/index.ts"
import type { Approver } from "./approval.ts"
import type { CallRecorder } from "./call-recorder.ts"
import type { CallListener } from "./events.ts"
import type { ToolRegistry } from "./registry.ts"

/**
 * Asked for a name that no tool has, or whose tool can't run just now, before the call is answered
 * with that: an owner of tools that come later may register the one that is meant. Rejects with a
 * ToolFailure where it knows why there is none.
 */
export type PrepareTool = (name: string, signal: AbortSignal) => Promise<void>

/** Hears of every answer, for a fifth of what a listener to all events costs. */
export type OnAnswer = (tool: string, envelope: Envelope) => void

/** Asked last about a call that the policy allows: why it can't run all the same, or null. */
export type AdmitCall = (tool: Tool) => FailureDetails | null

/** What all calls of one runtime share. */
export interface RuntimeDeps {
  /** Of no other runtime. */
  readonly id: string
  readonly registry: ToolRegistry
  readonly approve: Approver | undefined
  readonly clock: Clock
  readonly locks: KeyedLock
  readonly listeners: ReadonlySet<CallListener>
  readonly prepare: PrepareTool | undefined
  readonly admit: AdmitCall | undefined
  readonly onAnswer: OnAnswer | undefined
  readonly recorder: CallRecorder | undefined
  readonly session: CallSession
  /** What a person has allowed once and for all. */
  readonly grants: Grants
  readonly limits: CallLimits
}
