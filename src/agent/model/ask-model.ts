import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from "@ai-sdk/provider"
import type { FailureDetails } from "../../contract/index.ts"
import { type Clock, onAbort, publish, sleep, systemClock, withAbort } from "../../kit/index.ts"
import { modelLimits } from "../limits.ts"
import type { Message } from "../messages.ts"
import { buildPrompt } from "./build-prompt.ts"
import { AnswerCollector, type CollectedAnswer, type ModelDelta } from "./collect-answer.ts"
import { describeProblem, isTransient } from "./describe-problem.ts"
import { findOverflow } from "./find-overflow.ts"
import { type ModelProblem, readProblem, stopped } from "./model-error.ts"
import { modelName, wireOf } from "./model-name.ts"

/** A tool as a model is offered it. */
export interface ModelTool {
  /** As APIs allow it: letters, digits, _ and -. */
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

export interface ModelRequest {
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ModelTool[]
  readonly maxOutputTokens?: number | undefined
  readonly signal: AbortSignal
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined
  /** How long the model may send nothing. */
  readonly idleMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Runs each single request, also the ones that are sent again. */
  readonly around?: AroundRequest | undefined
}

export type AroundRequest = <Asked extends { readonly answer: ModelAnswer }>(
  ask: () => Promise<Asked>,
) => Promise<Asked>

/** What became of a request. */
export type ModelAnswer =
  /** The model ended its answer; `finish` says why. */
  | ({ readonly kind: "answered" } & CollectedAnswer)
  /** The conversation is too long for the model. */
  | { readonly kind: "overflow"; readonly message: string; readonly limit?: number }
  /** No answer, or `partial`: what had come of it when it broke. */
  | {
      readonly kind: "failed"
      readonly failure: FailureDetails
      readonly retryAfterMs?: number
      readonly partial?: CollectedAnswer
    }
  /** The caller ended it, with what had come. */
  | ({ readonly kind: "aborted" } & CollectedAnswer)

/** Asks a model for the next message. While it gives no answer for a reason that passes, it is asked again. */
export async function askModel(
  model: LanguageModelV4,
  request: ModelRequest,
): Promise<ModelAnswer> {
  const { signal, clock = systemClock, around } = request
  const options = callOptions(model, request)
  for (let retry = 0; ; retry += 1) {
    const { answer, mayRepeat } = await (around
      ? around(() => attempt(model, options, request))
      : attempt(model, options, request))
    const afterMs = mayRepeat ? pauseBefore(retry, answer.retryAfterMs) : null
    if (!mayRepeat || afterMs === null) return answer
    tell(request, { kind: "retry", afterMs, reason: answer.failure.message })
    try {
      await sleep(afterMs, { signal, clock })
    } catch {
      return aborted(modelName(model), new AnswerCollector(() => {}))
    }
  }
}

function callOptions(model: LanguageModelV4, request: ModelRequest): LanguageModelV4CallOptions {
  const { system, messages, tools, maxOutputTokens } = request
  const wire = wireOf(model)
  const most =
    maxOutputTokens ?? (wire === "anthropic" ? modelLimits.anthropicOutputTokens : undefined)
  return {
    prompt: buildPrompt({ system, messages, wire, model: modelName(model) }),
    ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    ...(most === undefined ? {} : { maxOutputTokens: most }),
    // Everything that comes is a sign of life, also what becomes no part of an answer.
    includeRawChunks: true,
    // The record is the only memory: a stored response expires, and some accounts may not store any.
    ...(wire === "openai-responses" ? { providerOptions: { openai: { store: false } } } : {}),
  }
}

function functionTool({ name, description, inputSchema }: ModelTool): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema }
}

type FailedAnswer = Extract<ModelAnswer, { kind: "failed" }>

type Attempt =
  | { readonly mayRepeat: false; readonly answer: ModelAnswer }
  /** Nothing of an answer has come, and the reason may pass. */
  | { readonly mayRepeat: true; readonly answer: FailedAnswer }

/** One request. It never throws: each way that it can end is an answer. */
async function attempt(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  request: ModelRequest,
): Promise<Attempt> {
  const name = modelName(model)
  const collector = new AnswerCollector((delta) => tell(request, delta))
  using idle = watchIdle(request)
  try {
    await readAnswer(model, options, { idle, collector })
  } catch (error) {
    if (request.signal.aborted) return final(aborted(name, collector))
    // What comes after the end of an answer does not change it.
    if (collector.finish === null) {
      return idle.isOver()
        ? hung(name, request, collector)
        : failed(name, readProblem(error), collector)
    }
  }
  const { finish } = collector
  if (finish === null || finish === "interrupted") return failed(name, stopped, collector)
  return final({ kind: "answered", ...collector.answer(name, finish) })
}

async function readAnswer(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  { idle, collector }: { readonly idle: IdleWatch; readonly collector: AnswerCollector },
): Promise<void> {
  const { signal } = idle
  signal.throwIfAborted()
  const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }))
  // Whatever ends this, the stream is not left open.
  const cancel = () => void asked.then(({ stream }) => stream.cancel()).catch(() => {})
  const { stream } = await withAbort(asked, signal).catch((error) => {
    cancel()
    throw error
  })
  const reader = stream.getReader()
  const close = () => void reader.cancel().catch(() => {})
  // Ends the read that waits. A race with the signal for each part takes longer than the part (bench: session-loop).
  const stopListening = onAbort(signal, close)
  try {
    for (;;) {
      idle.heard(collector.finish !== null)
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      if (value.type === "error") throw value.error
      collector.add(value)
    }
  } finally {
    stopListening()
    close()
  }
}

interface IdleWatch extends Disposable {
  /** Aborts with the caller's signal, or when nothing is heard for too long. */
  readonly signal: AbortSignal
  isOver(): boolean
  heard(isFinished: boolean): void
}

function watchIdle({
  signal,
  idleMs = modelLimits.idleMs,
  clock = systemClock,
}: ModelRequest): IdleWatch {
  const controller = new AbortController()
  const stopListening = onAbort(signal, () => controller.abort(signal.reason))
  let isOver = false
  let mostMs = idleMs
  let heardAt = clock.now()
  // One timer for many parts, which looks when the last of them came (bench: session-loop).
  const look = () => {
    const left = mostMs - (clock.now() - heardAt)
    if (left > 0) {
      cancel = clock.after(left, look)
      return
    }
    isOver = true
    controller.abort(new Error("The model sent nothing."))
  }
  let cancel = clock.after(mostMs, look)
  return {
    signal: controller.signal,
    isOver: () => isOver,
    heard(isFinished) {
      heardAt = clock.now()
      if (!isFinished || mostMs <= modelLimits.drainMs) return
      mostMs = modelLimits.drainMs
      cancel()
      cancel = clock.after(mostMs, look)
    },
    [Symbol.dispose]() {
      cancel()
      stopListening()
    },
  }
}

function final(answer: ModelAnswer): Attempt {
  return { mayRepeat: false, answer }
}

function aborted(name: string, collector: AnswerCollector): ModelAnswer {
  return { kind: "aborted", ...collector.answer(name, "aborted") }
}

function failed(name: string, problem: ModelProblem, collector: AnswerCollector): Attempt {
  const failure = describeProblem(name, problem)
  const overflow = collector.isEmpty ? findOverflow(problem) : null
  if (overflow) return final({ kind: "overflow", message: failure.message, ...overflow })
  const { kind, retryAfterMs } = problem
  const answer: FailedAnswer = {
    kind: "failed",
    failure,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...partialOf(name, collector, kind === "stopped" ? "interrupted" : "error"),
  }
  return collector.isEmpty && isTransient(problem) ? { mayRepeat: true, answer } : final(answer)
}

function hung(name: string, request: ModelRequest, collector: AnswerCollector): Attempt {
  const seconds = Math.ceil((request.idleMs ?? modelLimits.idleMs) / 1000)
  const message = `${name} sent nothing for ${seconds} s. Try again.`
  const failure: FailureDetails = { kind: "timeout", message, retryable: true }
  return final({ kind: "failed", failure, ...partialOf(name, collector, "interrupted") })
}

function partialOf(name: string, collector: AnswerCollector, finish: "error" | "interrupted") {
  return collector.isEmpty ? {} : { partial: collector.answer(name, finish) }
}

/** How long to wait before the next request; null for no next one. Random, so that many do not come back together. */
function pauseBefore(retry: number, retryAfterMs: number | undefined): number | null {
  if (retry >= modelLimits.retries) return null
  if (retryAfterMs !== undefined) {
    return retryAfterMs > modelLimits.longestRetryAfterMs ? null : retryAfterMs
  }
  const longest = Math.min(modelLimits.firstRetryMs * 2 ** retry, modelLimits.longestRetryMs)
  return Math.round(longest * (0.75 + Math.random() / 4))
}

function tell({ onDelta }: ModelRequest, delta: ModelDelta): void {
  if (onDelta) publish([onDelta], delta)
}
