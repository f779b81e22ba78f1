import { addUsage, type Prices } from "../check-limits.ts"
import { type ContextEdit, newEntry, type Spent } from "../entries.ts"
import { agentLimits } from "../limits.ts"
import type { Message, UserMessage } from "../messages.ts"
import { type EditPlan, estimateTokens, planEdit } from "./edit-context.ts"
import type { Conversation, ConversationReader, CurrentRun } from "./read-conversation.ts"
import { type RequestDeps, sendRequest } from "./send-request.ts"

export interface FitDeps extends RequestDeps {
  readonly reader: ConversationReader
  readonly contextTokens: number
  readonly prices: Prices | undefined
}

/** Edits the context where the next request would be too large. Without a summary, the request is tried as it is. */
export async function fitContext(deps: FitDeps, run: CurrentRun, tokens: number): Promise<void> {
  const most = tokens * agentLimits.editAbove
  if (estimate(deps, await deps.reader.read(), run) > most) await edit(deps, run, most)
}

/** After a provider has refused the conversation as too long. Why it can't be shortened; null when it is. */
export async function shortenContext(
  deps: FitDeps,
  run: CurrentRun,
  limit: number | undefined,
): Promise<string | null> {
  const { reader, contextTokens } = deps
  const told = limit ?? estimate(deps, await reader.read(), run) * shrinkTo
  return edit(deps, run, Math.min(told, contextTokens) * agentLimits.editAbove)
}

/** Of its own size, what a request is cut to where the provider does not tell its limit. */
const shrinkTo = 0.7

/** Why a summary that is needed could not be written, which leaves everything before it as it was; null otherwise. */
async function edit(deps: FitDeps, run: CurrentRun, tokens: number): Promise<string | null> {
  const { clock, reader } = deps
  const conversation = await reader.read()
  const plan = planEdit(conversation, { tokens, fixedCharacters: fixedCharacters(deps, run) })
  const summary = plan.old === null ? null : await summarize(deps, run, plan.old)
  const body = editOf(plan, summary, conversation)
  if (body) await reader.append([newEntry({ kind: "edit", body }, clock.now())])
  return summary?.kind === "failed" ? `${noSummary} ${summary.why}` : null
}

const noSummary = "The conversation is too long for the model, and no summary could be written."

function editOf(
  { results, keepFrom }: EditPlan,
  summary: Summarized | null,
  { run }: Conversation,
): ContextEdit | null {
  if (summary?.kind === "written" && run) {
    const { sequence, startedAt, start } = run
    const { text, spent } = summary
    return { results, spent, summary: { text, keepFrom, run: { sequence, startedAt, start } } }
  }
  return Object.keys(results).length > 0 ? { results } : null
}

type Summarized =
  | { readonly kind: "written"; readonly text: string; readonly spent: Spent }
  | { readonly kind: "failed"; readonly why: string }

const summaryRequest = `Write a summary of the conversation so far, for yourself: it will stand in its place.
Keep what the task is, what was decided and why, what was done, which files and names matter, what is left to do, and
every exact value that is still needed. Do not call a tool.`

async function summarize(
  deps: FitDeps,
  run: CurrentRun,
  messages: readonly Message[],
): Promise<Summarized> {
  const { prices } = deps
  const asked: UserMessage = { role: "user", content: [{ type: "text", text: summaryRequest }] }
  const answered = await sendRequest(deps, run, { messages: [...messages, asked] })
  switch (answered.kind) {
    case "answered": {
      const { content, usage } = answered.message
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("")
      if (text.trim() === "") return { kind: "failed", why: "The model wrote none." }
      // Like any other answer it counts against the limits.
      return {
        kind: "written",
        text,
        spent: addUsage((await deps.reader.read()).spent, usage, prices),
      }
    }
    case "overflow":
      return { kind: "failed", why: answered.message }
    case "failed":
      return { kind: "failed", why: answered.failure.message }
    case "aborted":
      return { kind: "failed", why: "The run was aborted." }
    default:
      return answered satisfies never
  }
}

function fixedCharacters({ tools }: FitDeps, run: CurrentRun): number {
  return run.start.system.length + JSON.stringify(tools()).length
}

function estimate(deps: FitDeps, conversation: Conversation, run: CurrentRun): number {
  return estimateTokens(conversation, () => fixedCharacters(deps, run))
}
