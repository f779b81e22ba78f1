import type { CallResult, Message, TextPart, UserMessage } from "../messages.ts"
import type { Conversation, Turn } from "./read-conversation.ts"

/** The messages of the next request: what was said, with the edits of the record, and nothing that changes by itself. */
export function buildMessages({ turns, summary, edited }: Conversation): readonly Message[] {
  const messages = turns.map(({ message }) =>
    edited.size === 0 ? message : applyEdits(message, edited),
  )
  return summary === null ? messages : withSummary(summary, messages)
}

function applyEdits(message: Message, edited: ReadonlyMap<string, string>): Message {
  if (message.role !== "tool") return message
  return { ...message, results: message.results.map((result) => editResult(result, edited)) }
}

function editResult(result: CallResult, edited: ReadonlyMap<string, string>): CallResult {
  const text = edited.get(result.call.id)
  return text === undefined ? result : { ...result, content: [{ type: "text", text }] }
}

/** Before everything else, in the user's own message where one comes first: providers want the roles to alternate. */
function withSummary(summary: string, messages: readonly Message[]): readonly Message[] {
  const part: TextPart = { type: "text", text: `What happened before, as a summary:\n\n${summary}` }
  const [first, ...rest] = messages
  if (first?.role === "user") return [{ ...first, content: [part, ...first.content] }, ...rest]
  const said: UserMessage = { role: "user", content: [part] }
  return [said, ...messages]
}

/** Where rounds begin: at each message that is not the answer to a call. */
export function roundStarts(turns: readonly Turn[]): readonly number[] {
  return turns.flatMap(({ message }, index) => (message.role === "assistant" ? [index] : []))
}
