import { client } from "../state/client.ts"
import { watch } from "../state/watch.ts"
import type { PageMessage, Problem } from "./page-data.ts"
import { applyMessage, eventProblem, loadProblem } from "./page-state.ts"

let followed = ""

/** The number of the last message that is drawn. */
let drawn = 0

/** Those who wait for a message. */
const waiting = new Set<() => void>()

/** Draws what the server sends until the returned function is called. */
export function followPattern(pattern: string): () => void {
  followed = pattern
  return watch(
    "patterns.watch",
    () => ({ pattern }),
    ({ event, data, id = 0 }) => {
      if (event !== "page" && event !== "change") return
      applyMessage(data as PageMessage)
      drawn = id
      for (const look of waiting) look()
    },
    { onFailure: (error) => (loadProblem.value = problemOf(error)) },
  )
}

/** The name of this page among all that send events. */
const page = Math.random().toString(36).slice(2)

/** The number of the last event, and whether it was answered. */
let last = { number: 0, isAnswered: true }

/** Sends an event to a handler of the page; resolves when the page shows what it did. */
export async function sendEvent(handler: string, event: unknown): Promise<void> {
  // Requests overtake each other on their way, so each says which one is before it.
  const after = last.isAnswered ? {} : { after: last.number }
  const own = { number: last.number + 1, isAnswered: false }
  last = own
  try {
    const sent = { pattern: followed, handler, event, page, number: own.number, ...after }
    const { problem, last: message } = await client().request("patterns.send", sent)
    own.isAnswered = true
    eventProblem.value = problem
    await untilDrawn(message)
  } catch (error) {
    eventProblem.value = problemOf(error)
  } finally {
    own.isAnswered = true
  }
}

function untilDrawn(message: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (drawn < message) return
      waiting.delete(look)
      resolve()
    }
    waiting.add(look)
    look()
  })
}

function problemOf(error: unknown): Problem {
  return { message: error instanceof Error ? error.message : String(error) }
}
