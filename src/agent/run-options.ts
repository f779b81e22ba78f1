import type { Clock } from "../kit/index.ts"
import type { Approver } from "../runtime/index.ts"
import type { Session } from "../session/index.ts"
import type { Prices } from "./check-limits.ts"
import type { RunEnd, RunLimits, Spent } from "./entries.ts"
import type { ImagePart, TextPart } from "./messages.ts"

export interface AgentOptions {
  /**
   * "anthropic/MODEL", "openai/MODEL", "http://HOST:PORT/v1#MODEL" for any server that speaks OpenAI's API, or a
   * language model of an AI SDK provider.
   */
  readonly model: string | GivenModel
  /** What the agent should know and how it should work. */
  readonly instructions?: string | undefined
  /** Its name, by which the policy may have rules for it. */
  readonly name?: string | undefined
  readonly limits?: RunLimits | undefined
  /** How many tokens a request to the model may have. 128,000 when absent. */
  readonly contextTokens?: number | undefined
  /** How many tokens one answer may have. */
  readonly maxOutputTokens?: number | undefined
  /** What a million tokens cost; without it, no cost is counted. */
  readonly prices?: Prices | undefined
  /** What the tool `task` may choose from for its child sessions, by name. */
  readonly roles?: Readonly<Record<string, Role>> | undefined
  /** Asks a person; without it, questions wait in the record until somebody answers them. */
  readonly approve?: Approver | undefined
  /** Asks a person what the agent wants to know; without it, the question waits in the record. */
  readonly clarify?: Clarify | undefined
  /** Gets spans of runs, requests and calls, by the OpenTelemetry conventions for generative AI. */
  readonly tracer?: GivenTracer | undefined
  /** Whether spans carry messages, arguments, results and error messages too. No when absent. */
  readonly traceContent?: boolean | undefined
  readonly clock?: Clock | undefined
}

/** A `Tracer` of `@opentelemetry/api`, by what tells it from others: users of none need not have that package. */
export interface GivenTracer {
  startSpan(name: string): object
}

/** A `LanguageModelV4` of `@ai-sdk/provider`, by what tells it from others: users of other models need not have that package. */
export interface GivenModel {
  readonly specificationVersion: "v4"
  readonly provider: string
  readonly modelId: string
}

/** The role of a child session. */
export interface Role {
  readonly description: string
  readonly instructions?: string | undefined
  /** The parent's when absent. */
  readonly model?: string | GivenModel | undefined
  readonly limits?: RunLimits | undefined
}

export type Clarify = (question: ClarifyQuestion, signal: AbortSignal) => Promise<string>

export interface ClarifyQuestion {
  readonly question: string
  readonly options: readonly string[]
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  readonly limits?: RunLimits | undefined
  /** A JSON Schema: the run ends with a value that satisfies it, or says that it gave up. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  /** Who starts it, recorded with the run: a server goes on with its own after a restart. */
  readonly by?: string | undefined
  /** Called with the model's text as it arrives. */
  readonly onDelta?: ((delta: Delta) => void) | undefined
}

export interface Delta {
  readonly kind: "text" | "reasoning"
  readonly text: string
}

/** How a run ended, or what it waits for. */
export type RunResult =
  | (RunEnd & { readonly spent: Spent })
  | {
      readonly why: "waiting"
      readonly questions: readonly WaitingQuestion[]
      readonly spent: Spent
    }

export interface WaitingQuestion {
  readonly id: string
  readonly call: string
  readonly text: string
}

/** What one step of a run did. */
export type Step =
  | { readonly kind: "advanced" }
  | { readonly kind: "waiting"; readonly questions: readonly WaitingQuestion[] }
  | { readonly kind: "ended"; readonly end: RunEnd }
  /** No run has been started in this session. */
  | { readonly kind: "idle" }

/** Works with a model in recorded sessions. */
export interface Agent {
  /**
   * Starts a run: the model works with the session's tools until it is done. With `output`, it works in that session
   * instead, which gets the sandboxes of this one and knows what was said in it; tools see that one. Repeated
   * after a crash, it completes the move.
   */
  run(session: Session, task: Said, options?: RunOptions & { readonly output?: Session }): Run
  /** Continues the session's last run from where it ended or waited. */
  resume(session: Session, options?: RunOptions): Run
  /**
   * Does one step of the session's run from its record. Safe to repeat after a crash, so that a workflow engine can
   * drive it: until it says `ended`.
   */
  advance(session: Session, options?: RunOptions): Promise<Step>
  /**
   * Goes back to an entry of the record: what is said and done next follows that one, and every sandbox has the files
   * that it had then. What came after it stays in the record. Fails, and changes nothing, where those files were not
   * recorded.
   */
  branch(session: Session, entry: number): Promise<Branch>
}

export interface Branch {
  /** The sequence number of the entry that says so. */
  readonly sequence: number
  /** Whether there were files to restore. */
  readonly isRestored: boolean
}

export type Said = string | readonly (TextPart | ImagePart)[]

export interface Run {
  /** How it ended, or what it waits for. Never rejects for what a model, a tool or a provider does. */
  readonly result: Promise<RunResult>
  /** Says something to the agent while it works: it reads it before its next request, or the run ended before. */
  send(message: Said): Promise<"delivered" | "not-delivered">
  /** Ends the model's answer, the tools and their work in sandboxes. What had finished stays. */
  abort(reason?: unknown): void
}

/** The agents that a run works for, above its own. */
export interface Lineage {
  readonly depth: number
  readonly ancestors: readonly string[]
  /** What the run that it works for leaves it, as it is now. */
  readonly limits?: () => Promise<RunLimits>
  /** Tells that run what it has used. */
  readonly report?: (spent: Spent) => void
}
