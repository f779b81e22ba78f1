import { collapseListing, type Envelope, isObject } from "../../contract/index.ts"
import { agentLimits } from "../limits.ts"
import type { Message } from "../messages.ts"
import { buildMessages, roundStarts } from "./build-request.ts"
import type { Conversation } from "./read-conversation.ts"

export interface EditOptions {
  /** How many tokens the next request may have. */
  readonly tokens: number
  /** Of the instructions and the tools, in characters. */
  readonly fixedCharacters: number
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

/** What an edit would change. */
export interface EditPlan {
  /** Results that are shown as another text, by the ids of their calls. */
  readonly results: Readonly<Record<string, string>>
  /** The messages that a summary is to stand for; null where none is needed, or there is nothing to sum up. */
  readonly old: readonly Message[] | null
  /** The sequence number of the first entry that the summary does not stand for. */
  readonly keepFrom: number
}

/**
 * What has to change so that the next request fits: old results shrink first, then older rounds become a summary. All at
 * once, and by more than is needed, because each edit breaks the provider's cache.
 */
export function planEdit(conversation: Conversation, options: EditOptions): EditPlan {
  const { turns } = conversation
  const starts = roundStarts(turns)
  const firstKept = starts.at(-agentLimits.roundsKept) ?? 0
  const results: Record<string, string> = {}
  for (const { message } of turns.slice(0, firstKept)) {
    if (message.role !== "tool") continue
    for (const { call, short } of message.results) {
      if (short !== undefined && !conversation.edited.has(call.id)) results[call.id] = short
    }
  }
  const edited = new Map([...conversation.edited, ...Object.entries(results)])
  const shrunk = { ...conversation, edited }
  const wanted = options.tokens * (agentLimits.editTo / agentLimits.editAbove)
  const size =
    (charactersOf(buildMessages(shrunk)) + options.fixedCharacters) / agentLimits.charactersPerToken
  const keepAt = cutBefore(conversation, firstKept)
  const keepFrom = turns[keepAt]?.sequence ?? 0
  if (size <= wanted || keepAt === 0 || keepFrom === 0) return { results, old: null, keepFrom }
  return { results, old: buildMessages({ ...shrunk, turns: turns.slice(0, keepAt) }), keepFrom }
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
