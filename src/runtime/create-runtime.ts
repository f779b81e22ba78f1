import type { Envelope, Tool } from "../contract/index.ts"
import { type Clock, createId, KeyedLock, systemClock } from "../kit/index.ts"
import type { Policy } from "../policy/index.ts"
import type { Approver } from "./approval.ts"
import type { CallRequest, RunningCall } from "./call-request.ts"
import type { CallListener } from "./events.ts"
import { ToolRegistry } from "./registry.ts"
import type { AdmitCall, OnAnswer, PrepareTool } from "./runtime-deps.ts"
import { startCall } from "./start-call.ts"

export interface RuntimeOptions {
  readonly tools?: Iterable<Tool>
  readonly policy?: Policy
  readonly approve?: Approver | undefined
  readonly clock?: Clock
  readonly prepare?: PrepareTool | undefined
  readonly admit?: AdmitCall | undefined
  readonly onAnswer?: OnAnswer | undefined
}

/** Takes calls and answers each with exactly one envelope. */
export interface Runtime {
  readonly registry: ToolRegistry
  start(request: CallRequest): RunningCall
  call(request: CallRequest): Promise<Envelope>
  /** Hears every event of every call; the returned function stops that. */
  listen(listener: CallListener): () => void
}

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { approve, clock = systemClock, prepare, admit, onAnswer } = options
  const registry = new ToolRegistry()
  if (options.policy) registry.setPolicy(options.policy)
  for (const tool of options.tools ?? []) registry.register(tool)
  const listeners = new Set<CallListener>()
  const locks = new KeyedLock()
  const id = createId("runtime")
  const parts = { id, registry, approve, clock, locks, listeners, prepare, admit, onAnswer }
  const start = (request: CallRequest) => startCall(request, parts)
  return {
    registry,
    start,
    call: (request) => start(request).envelope,
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
