import {
  type CallLimits,
  type CallSession,
  defaultCallLimits,
  type Envelope,
  type FailureDetails,
  failure,
  failureFrom,
  limits,
  type Tool,
  type ToolObject,
} from "../contract/index.ts"
import { type Clock, createId, KeyedLock, publish, systemClock } from "../kit/index.ts"
import { createGrants, type Grants, type Policy } from "../policy/index.ts"
import type { Approver } from "./approval.ts"
import { CallParked } from "./call-parked.ts"
import type { CallFacts, CallRecorder } from "./call-recorder.ts"
import type { CallRequest, RunningCall } from "./call-request.ts"
import { Deadline } from "./deadline.ts"
import type { CallListener, CallStage } from "./events.ts"
import { type ToolFamilies, ToolRegistry } from "./registry.ts"
import { type Call, notRecorded, recordedCall, runCall } from "./run-call.ts"
import type { AdmitCall, OnAnswer, PrepareTool, RuntimeDeps } from "./runtime-deps.ts"

export interface RuntimeOptions {
  readonly tools?: Iterable<Tool | ToolObject>
  readonly families?: ToolFamilies
  readonly policy?: Policy
  readonly approve?: Approver | undefined
  readonly clock?: Clock
  readonly prepare?: PrepareTool | undefined
  readonly admit?: AdmitCall | undefined
  readonly onAnswer?: OnAnswer | undefined
  readonly recorder?: CallRecorder | undefined
  /** What a person has allowed once and for all; known only to this runtime when absent. */
  readonly grants?: Grants | undefined
  /** The session that its tools see; one without entries when absent. */
  readonly session?: CallSession | undefined
  readonly limits?: CallLimits | undefined
}

/** Takes calls and answers each with exactly one envelope. */
export interface Runtime {
  readonly registry: ToolRegistry
  start(request: CallRequest): RunningCall
  call(request: CallRequest): Promise<Envelope>
  /** The calls under way, the oldest first. */
  running(): readonly RunningCall[]
  /** Hears every event of every call; the returned function stops that. */
  listen(listener: CallListener): () => void
}

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { approve, clock = systemClock, prepare, admit, onAnswer, recorder } = options
  const registry = new ToolRegistry(options.families)
  if (options.policy) registry.setPolicy(options.policy)
  for (const tool of options.tools ?? []) registry.register(tool)
  const listeners = new Set<CallListener>()
  const locks = new KeyedLock()
  const id = createId("runtime")
  const parts = {
    ...{ id, registry, approve, clock, locks, listeners, prepare, admit, onAnswer, recorder },
    grants: options.grants ?? createGrants(),
    session: options.session ?? { name: "", entries: async () => [] },
    limits: options.limits ?? defaultCallLimits,
  }
  const running = new Set<RunningCall>()
  const start = (request: CallRequest) => {
    const call = startCall(request, parts, () => running.delete(call))
    running.add(call)
    return call
  }
  return {
    registry,
    start,
    call: (request) => start(request).envelope,
    running: () => [...running],
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Starts a call, and makes sure that it ends with one envelope and one `call-ended`. */
function startCall(asked: CallRequest, parts: RuntimeDeps, onEnd: () => void): RunningCall {
  // The caller's own object could name another tool or agent later.
  const request = { ...asked }
  const id = request.id ?? createId("call")
  const tool = request.tool.slice(0, limits.quotedCharacters * 2)
  const started = parts.clock.now()
  const deadline = new Deadline(parts.clock, request.signal)
  let ended = false

  const emit = (stage: CallStage) => {
    // A tool that calls back after its end is no longer heard.
    if (ended) return
    if (stage.kind === "call-output") parts.recorder?.output(id, stage.chunk)
    if (parts.listeners.size === 0) return
    publish(parts.listeners, { callId: id, tool, at: parts.clock.now(), ...stage })
  }
  const finish = (envelope: Envelope): Envelope => {
    deadline.close()
    parts.onAnswer?.(tool, envelope)
    emit({ kind: "call-ended", envelope, durationMs: parts.clock.now() - started })
    ended = true
    onEnd()
    return envelope
  }
  const facts: CallFacts = { sent: undefined, checked: null, verdict: null, start: "none" }
  const observing = { observation: null, cutBytes: 0, isOver: false }
  const call: Call = { id, request, deadline, emit, facts, observing }

  const { agent, provider } = request
  emit({ kind: "call-requested", ...(agent && { agent }), ...(provider && { provider }) })
  const { refusal } = request
  const answer = refusal ? Promise.resolve(failure(tool, refusal)) : runCall(call, parts)
  const { recorder } = parts
  let isParked = false
  const made = answer.catch((error) => {
    isParked = error instanceof CallParked
    return failure(tool, isParked ? parked : failureFrom(error))
  })
  const looked = request.sandbox?.observe ? made.then((envelope) => lookAt(call, envelope)) : made
  const recorded = recorder
    ? looked.then((envelope) => {
        if (isParked) return envelope
        return recordEnd(recorder, call, envelope, parts.clock.now() - started)
      })
    : looked
  const envelope = recorded.then(finish)
  const { terminate, cancel } = deadline
  return { id, tool, startedAt: started, envelope, terminate, cancel, isParked: () => isParked }
}

/** What the call did in its sandbox, before its answer is recorded and given out. */
async function lookAt({ observing, facts, emit }: Call, envelope: Envelope): Promise<Envelope> {
  observing.isOver = true
  const { observation, cutBytes } = observing
  if (!observation) return envelope
  facts.effects = await observation.end(cutBytes)
  emit({ kind: "call-effects", effects: facts.effects })
  return envelope
}

const parked: FailureDetails = {
  kind: "unavailable",
  message: "The call waits for a person's answer and goes on then.",
}

/** Nothing is given out that is not in the record. What has changed nothing can be called again. */
async function recordEnd(
  recorder: CallRecorder,
  call: Call,
  envelope: Envelope,
  durationMs: number,
): Promise<Envelope> {
  const { start } = call.facts
  // It has said so itself.
  if (start === "refused") return envelope
  try {
    await recorder.ended(recordedCall(call), envelope, durationMs)
    return envelope
  } catch (error) {
    const { message } = failureFrom(error)
    if (start === "none") return failure(envelope.tool, notRecorded(message))
    return failure(envelope.tool, {
      kind: "execution_error",
      message: `The call has ended, but its answer could not be recorded and is lost: ${message}`,
      retryable: false,
    })
  }
}
