import { type Envelope, failure, failureFrom, limits } from "../contract/index.ts"
import { createId, publish } from "../kit/index.ts"
import type { CallRequest, RunningCall } from "./call-request.ts"
import { Deadline } from "./deadline.ts"
import type { CallStage } from "./events.ts"
import { type Call, runCall } from "./run-call.ts"
import type { RuntimeDeps } from "./runtime-deps.ts"

/** Starts a call, and makes sure that it ends with one envelope and one `call-ended`. */
export function startCall(asked: CallRequest, parts: RuntimeDeps): RunningCall {
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
