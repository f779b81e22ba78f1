import { type Envelope, failure, failureFrom, limits, type Tool } from "../contract/index.ts"
import { type Clock, createId, KeyedLock, publish, systemClock } from "../kit/index.ts"
import type { Policy } from "../policy/index.ts"
import type { Approver } from "./approval.ts"
import type { CallRequest, RunningCall } from "./call-request.ts"
import { Deadline } from "./deadline.ts"
import type { CallListener, CallStage } from "./events.ts"
import { type ToolFamilies, ToolRegistry } from "./registry.ts"
import { type Call, runCall } from "./run-call.ts"
import type { AdmitCall, OnAnswer, PrepareTool, RuntimeDeps } from "./runtime-deps.ts"

export interface RuntimeOptions {
  readonly tools?: Iterable<Tool>
  readonly families?: ToolFamilies
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
  const registry = new ToolRegistry(options.families)
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

/** Starts a call, and makes sure that it ends with one envelope and one `call-ended`. */
function startCall(asked: CallRequest, parts: RuntimeDeps): RunningCall {
  // The caller's own object could name another tool or agent later.
  const request = { ...asked }
  const id = request.id ?? createId("call")
  const tool = request.tool.slice(0, limits.quotedCharacters * 2)
  const started = parts.clock.now()
  const deadline = new Deadline(parts.clock, request.signal)
  let ended = false

  const emit = (stage: CallStage) => {
    // A tool that calls back after its end is no longer heard.
    if (ended || parts.listeners.size === 0) return
    publish(parts.listeners, { callId: id, tool, at: parts.clock.now(), ...stage })
  }
  const finish = (envelope: Envelope): Envelope => {
    deadline.close()
    parts.onAnswer?.(tool, envelope)
    emit({ kind: "call-ended", envelope, durationMs: parts.clock.now() - started })
    ended = true
    return envelope
  }
  const call: Call = { id, request, deadline, emit }

  const { agent, provider } = request
  emit({ kind: "call-requested", ...(agent && { agent }), ...(provider && { provider }) })
  const { refusal } = request
  const answer = refusal ? Promise.resolve(failure(tool, refusal)) : runCall(call, parts)
  const envelope = answer.catch((error) => failure(tool, failureFrom(error))).then(finish)
  return { id, envelope, terminate: deadline.terminate, cancel: deadline.cancel }
}
