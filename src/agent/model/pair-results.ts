import type { AssistantMessage, CallResult, Message, ModelCall, UserMessage } from "../messages.ts"

/** A message of a request. Each call has exactly one answer, directly after it. */
export type PairedMessage =
  | UserMessage
  | { readonly role: "assistant"; readonly message: AssistantMessage }
  | { readonly role: "tool"; readonly results: readonly CallResult[] }

/**
 * Providers refuse a request in which a call has no answer, two answers or one at another place, and refuse it again
 * each time it is sent. So results move to their calls, repeated and unasked ones go, and missing ones are filled in.
 */
export function pairResults(messages: readonly Message[]): PairedMessage[] {
  const paired: PairedMessage[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") paired.push(message)
    if (message.role !== "assistant") continue
    paired.push({ role: "assistant", message })
    const calls = message.content.filter((part) => part.type === "call")
    if (calls.length === 0) continue
    const results = resultsAfter(messages, index)
    paired.push({
      role: "tool",
      results: calls.map((call) => results.get(call.id) ?? unanswered(call)),
    })
  }
  return paired
}

/** The results up to the next answer of the model, by call; the first one where there are several. */
function resultsAfter(
  messages: readonly Message[],
  index: number,
): ReadonlyMap<string, CallResult> {
  const found = new Map<string, CallResult>()
  for (let at = index + 1; ; at += 1) {
    const message = messages[at]
    if (!message || message.role === "assistant") return found
    if (message.role !== "tool") continue
    for (const result of message.results) {
      if (!found.has(result.call.id)) found.set(result.call.id, result)
    }
  }
}

function unanswered(call: ModelCall): CallResult {
  const text = "This call was not answered. Its outcome is unknown."
  return { call, content: [{ type: "text", text }], isError: true }
}
