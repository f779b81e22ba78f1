import { collapseListing, type Envelope, isObject } from "../../contract/index.ts"
import type { ContextEdit } from "../entries.ts"
import { agentLimits } from "../limits.ts"
import type { Message } from "../messages.ts"
import { buildMessages, roundStarts } from "./build-request.ts"
import type { Conversation } from "./read-conversation.ts"

export interface EditOptions {
  /** How many tokens the next request may have. */
  readonly tokens: number
  /** Of the instructions and the tools, in characters. */
  readonly fixedCharacters: number
  /** Writes a summary of these messages. */
  readonly summarize: (messages: readonly Message[]) => Promise<string>
}

/** The size of the next request: what the provider counted last, and an estimate of what has come since. */
export function estimateTokens(conversation: Conversation, fixedCharacters: () => number): number {
  const messages = buildMessages(conversation)
  const at = messages.findLastIndex(isCounted)
  const counted = at < 0 ? 0 : usedBy(messages[at])
  const since = charactersOf(messages.slice(at + 1))
  const fixed = at < 0 ? fixedCharacters() : 0
  return counted + Math.ceil((since + fixed) / agentLimits.charactersPerToken)
}

function isCounted(message: Message): boolean {
  return message.role === "assistant" && message.usage.input > 0
}

function usedBy(message: Message | undefined): number {
  if (message?.role !== "assistant") return 0
  return message.usage.input + message.usage.output
}

function charactersOf(messages: readonly Message[]): number {
  return JSON.stringify(messages).length
}

/**
 * What has to change so that the next request fits: old results shrink first, then older rounds become a summary. All at
 * once, and by more than is needed, because each edit breaks the provider's cache. Null where there is nothing to edit.
 */
export async function editContext(
  conversation: Conversation,
  options: EditOptions,
): Promise<ContextEdit | null> {
  const { turns, run } = conversation
  const starts = roundStarts(turns)
  const firstKept = starts.at(-agentLimits.roundsKept) ?? 0
  const results: Record<string, string> = {}
  for (const { message } of turns.slice(0, firstKept)) {
    if (message.role !== "tool") continue
    for (const result of message.results) {
      const short = result.short
      if (short !== undefined && !conversation.edited.has(result.call.id)) {
        results[result.call.id] = short
      }
    }
  }
  const edited = new Map([...conversation.edited, ...Object.entries(results)])
  const shrunk = { ...conversation, edited }
  const wanted = options.tokens * (agentLimits.editTo / agentLimits.editAbove)
  const size =
    (charactersOf(buildMessages(shrunk)) + options.fixedCharacters) / agentLimits.charactersPerToken
  const isEnough = size <= wanted
  if (isEnough || !run) return Object.keys(results).length > 0 ? { results } : null
  const keepAt = cutBefore(conversation, firstKept)
  const keepFrom = turns[keepAt]?.sequence
  if (keepAt === 0 || keepFrom === undefined) {
    return Object.keys(results).length > 0 ? { results } : null
  }
  const old = buildMessages({ ...shrunk, turns: turns.slice(0, keepAt) })
  const text = await options.summarize(old)
  const { sequence, startedAt, start } = run
  return { results, summary: { text, keepFrom, run: { sequence, startedAt, start } } }
}

/** Never between a call and its answer: before the message that begins a round, or before what the person said. */
function cutBefore({ turns }: Conversation, firstKept: number): number {
  let at = firstKept
  while (at > 0 && turns[at - 1]?.message.role === "user") at -= 1
  return at
}

/** What stays of an answer when it gets old: of a listing how many there were, of other texts their beginning. */
export function shortForm(envelope: Envelope, call: string, text: string): string | undefined {
  const collapsed = collapseListing(envelope)
  if (collapsed !== envelope && collapsed.ok && isObject(collapsed.result)) {
    return String(collapsed.result.text)
  }
  if (text.length <= agentLimits.handleCharacters * 2) return undefined
  const head = text.slice(0, agentLimits.handleCharacters).toWellFormed()
  return `${head}\n[${text.length} characters in all; result.read with {"call": "${call}"} shows them again]`
}
