import { classifyResult, type Envelope } from "../../contract/index.ts"
import { canonicalJson } from "../../kit/index.ts"
import type { AnsweredCall } from "../answer-round.ts"
import { agentLimits } from "../limits.ts"
import type { Message, ModelCall } from "../messages.ts"

/** How often each call has failed without having succeeded since. */
function countFailures(messages: readonly Message[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const message of messages) {
    if (message.role !== "tool") continue
    for (const { call, isError } of message.results) addAnswer(counts, call, isError)
  }
  return counts
}

function addAnswer(counts: Map<string, number>, call: ModelCall, isError: boolean): number {
  const key = keyOf(call)
  const count = isError ? (counts.get(key) ?? 0) + 1 : 0
  counts.set(key, count)
  return count
}

/** What is said to the model beside an answer, so that it does not just try again. */
export function steer(
  answers: readonly AnsweredCall[],
  before: readonly Message[],
): ReadonlyMap<string, string> {
  const notes = new Map<string, string>()
  const failed = answers.some(({ envelope }) => !envelope.ok)
  const failures = failed ? countFailures(before) : null
  for (const { call, envelope } of answers) {
    const note = noteFor(envelope, failures ? addAnswer(failures, call, !envelope.ok) : 0)
    if (note !== null) notes.set(call.id, note)
  }
  return notes
}

function noteFor(envelope: Envelope, failures: number): string | null {
  if (failures >= agentLimits.repeatedFailures) {
    return `The same call has failed ${failures} times in a row. Change it, or do something else.`
  }
  switch (classifyResult(envelope)) {
    case "listing-empty":
      return "The listing is empty: look in the parent directory, or create what is missing."
    case "listing-partial":
      return "The listing is not complete: narrow it down before you rely on something being absent."
    case "not-found":
      return "Nothing is there: list the parent directory and use a path from that listing."
    default:
      return null
  }
}

/** Arguments in another order or spacing are the same call. */
function keyOf({ tool, input }: ModelCall): string {
  try {
    return `${tool} ${canonicalJson(JSON.parse(input))}`
  } catch {
    return `${tool} ${input}`
  }
}
