import type { PoolCheckpoint } from "../sandbox/index.ts"
import type { NewEntry, RecordEntry } from "../store/index.ts"
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "./messages.ts"

/** What an agent records beside the calls of its session. All of them are milestones of the record. */
export type AgentEntry =
  | { readonly kind: "run"; readonly body: RunStart }
  | { readonly kind: "message"; readonly body: RecordedMessage }
  | { readonly kind: "edit"; readonly body: ContextEdit }
  | { readonly kind: "child"; readonly body: EndedChild }
  | { readonly kind: "run-ended"; readonly body: RunEnd }
  | { readonly kind: "checkpoint"; readonly body: RecordedFiles }
  | { readonly kind: "branched"; readonly body: { readonly from: number } }

/** The files of the session's sandboxes at this point, or why they are not known. */
export type RecordedFiles =
  | { readonly kind: "recorded"; readonly checkpoint: PoolCheckpoint }
  | { readonly kind: "missing"; readonly why: string }

/** A run begins: an agent works until it has done what it was asked for. */
export interface RunStart {
  readonly model: string
  readonly agent?: string | undefined
  /** Who started it, where somebody said so. */
  readonly by?: string | undefined
  readonly limits: RunLimits
  /** The instructions, as every request of the run begins with them. */
  readonly system: string
  /** The JSON Schema of what the run returns. */
  readonly schema?: unknown
}

export interface RecordedMessage {
  readonly message: UserMessage | AssistantMessage | ToolMessage
  /** Of an assistant's message: what the run has used with it, children included. */
  readonly spent?: Spent
  /** Calls of an assistant's message whose arguments were cut off, by their ids. */
  readonly cutOff?: readonly string[]
}

/** What a run may use; what is absent has no limit of its own. */
export interface RunLimits {
  readonly rounds?: number | undefined
  readonly calls?: number | undefined
  /** Calls of single tools, by their names. */
  readonly callsOf?: Readonly<Record<string, number>> | undefined
  readonly commandsPerTurn?: number | undefined
  /** Of requests and answers together. */
  readonly tokens?: number | undefined
  /** In the currency of the configured prices. */
  readonly cost?: number | undefined
  readonly milliseconds?: number | undefined
}

/** What a run has used. */
export interface Spent {
  readonly rounds: number
  readonly calls: number
  readonly callsOf: Readonly<Record<string, number>>
  /** Calls that ran a command since a person last said something. */
  readonly commands: number
  readonly tokens: number
  readonly cost: number
}

export const nothingSpent: Spent = {
  ...{ rounds: 0, calls: 0, callsOf: {}, commands: 0, tokens: 0, cost: 0 },
}

/** How often a tool was called, whose name a model may have made up: also "constructor" is one. */
export function callsOfTool(callsOf: Spent["callsOf"], tool: string): number {
  return Object.hasOwn(callsOf, tool) ? (callsOf[tool] ?? 0) : 0
}

export function addSpent(one: Spent, other: Spent): Spent {
  const tools = new Set([...Object.keys(one.callsOf), ...Object.keys(other.callsOf)])
  const callsOf = Object.fromEntries(
    [...tools].map((tool) => [
      tool,
      callsOfTool(one.callsOf, tool) + callsOfTool(other.callsOf, tool),
    ]),
  )
  return {
    rounds: one.rounds + other.rounds,
    calls: one.calls + other.calls,
    callsOf,
    commands: one.commands + other.commands,
    tokens: one.tokens + other.tokens,
    cost: one.cost + other.cost,
  }
}

/** What has come to it since. */
export function subtractSpent(now: Spent, before: Spent): Spent {
  const callsOf = Object.entries(now.callsOf).map(
    ([tool, count]) => [tool, count - callsOfTool(before.callsOf, tool)] as const,
  )
  return {
    rounds: now.rounds - before.rounds,
    calls: now.calls - before.calls,
    callsOf: Object.fromEntries(callsOf),
    commands: now.commands - before.commands,
    tokens: now.tokens - before.tokens,
    cost: now.cost - before.cost,
  }
}

/** From here on, requests show less of what was before. Everything in it happens together, so that caches break once. */
export interface ContextEdit {
  /** Results that are shown as another text, by the ids of their calls. */
  readonly results: Readonly<Record<string, string>>
  readonly summary?: Summary
  /** What the run has used with the summary. */
  readonly spent?: Spent
}

/** Stands for everything before an entry, so that nothing before it has to be read any more. */
export interface Summary {
  readonly text: string
  /** The sequence number of the first entry that it does not stand for. */
  readonly keepFrom: number
  /** The run in which it was written. */
  readonly run: StartedRun
}

export interface StartedRun {
  /** The sequence number of its first entry. */
  readonly sequence: number
  readonly startedAt: number
  readonly start: RunStart
}

export interface EndedChild {
  readonly call: string
  /** The name of the child's session. */
  readonly session: string
  readonly spent: Spent
}

/** Why a run ended. */
export type RunEnd =
  | { readonly why: "finished"; readonly text: string; readonly value?: unknown }
  /** By the tool `complete`. */
  | { readonly why: "completed"; readonly text: string; readonly value?: unknown }
  | { readonly why: "limit"; readonly limit: string; readonly text: string }
  | { readonly why: "aborted"; readonly text: string }
  /** The model could not be asked, or its answers did not satisfy the schema. */
  | { readonly why: "failed"; readonly text: string }

/** An entry as the record gives it back. */
export type RecordedAgentEntry = RecordEntry & AgentEntry

export function newEntry(entry: AgentEntry, at: number, parent?: number): NewEntry {
  return { ...entry, at, isMilestone: true, ...(parent !== undefined && { parent }) }
}

export function messageEntry(
  message: Message,
  at: number,
  more: Omit<RecordedMessage, "message"> = {},
): NewEntry {
  return newEntry({ kind: "message", body: { message, ...more } }, at)
}
