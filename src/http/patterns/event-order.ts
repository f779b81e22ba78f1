import type { Clock } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"

/** An event of a page, as the page counts them. */
export interface EventPlace {
  readonly page: string
  readonly number: number
  /** The event before it, where the page does not know yet that it has begun. */
  readonly after: number | undefined
}

interface PageEvents {
  begun: number
  /** Those who wait for an event to begin. */
  readonly waiting: Set<() => void>
}

/** Lets the events of a page begin in the order in which they were made: their requests may overtake each other. */
export interface EventOrder {
  /** Resolves when the event before has begun, or has not come in time. */
  turn(place: EventPlace): Promise<void>
  begun(place: EventPlace): void
}

export function createEventOrder(clock: Clock): EventOrder {
  const pages = new Map<string, PageEvents>()

  function eventsOf(page: string): PageEvents {
    const events = pages.get(page) ?? { begun: 0, waiting: new Set() }
    pages.delete(page)
    pages.set(page, events)
    const [oldest] = pages.keys()
    if (pages.size > httpLimits.patternSenders && oldest !== undefined) pages.delete(oldest)
    return events
  }

  return {
    async turn({ page, after }) {
      const events = eventsOf(page)
      if (after === undefined || events.begun >= after) return
      await new Promise<void>((resolve) => {
        const look = () => {
          if (events.begun >= after) end()
        }
        const end = () => {
          cancel()
          events.waiting.delete(look)
          resolve()
        }
        const cancel = clock.after(httpLimits.patternOrderMs, end)
        events.waiting.add(look)
      })
    },
    begun({ page, number }) {
      const events = eventsOf(page)
      events.begun = Math.max(events.begun, number)
      for (const look of events.waiting) look()
    },
  }
}
