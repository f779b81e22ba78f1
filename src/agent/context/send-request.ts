import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Clock } from "../../kit/index.ts"
import type { Session } from "../../session/index.ts"
import { askModel, type ModelAnswer, type ModelRequest, type ModelTool } from "../model/index.ts"
import type { Trace } from "../trace-run.ts"
import type { CurrentRun } from "./read-conversation.ts"

export interface RequestDeps {
  readonly session: Session
  readonly model: LanguageModelV4
  readonly tools: () => readonly ModelTool[]
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly maxOutputTokens: number
  /** Null where nothing is traced. */
  readonly trace: Trace | null
}

/** Sends messages to the model of a run, after the run's own instructions and with its tools. */
export function sendRequest(
  deps: RequestDeps,
  run: CurrentRun,
  given: Pick<ModelRequest, "messages" | "onDelta">,
): Promise<ModelAnswer> {
  const { session, model, signal, clock, maxOutputTokens, trace } = deps
  const { system } = run.start
  const request = { ...given, system, tools: deps.tools(), maxOutputTokens, signal, clock }
  const around = trace?.request({ session, model, request })
  return askModel(model, around ? { ...request, around } : request)
}
